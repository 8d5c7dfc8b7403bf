package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistream/aguistream/bench"
)

//go:embed page.html
var pageText string

//go:embed load.html
var loadText string

// The second text only defines templates for the first.
var page = template.Must(template.Must(template.New("page").Funcs(template.FuncMap{
	"number":  number,
	"grouped": grouped,
	"count":   func(n int) string { return grouped(int64(n)) },
	"micros":  micros,
	"millis":  millis,
	"seconds": digits,
	"mb": func(v float64) string {
		if v < 1000 {
			return digits(v)
		}
		return grouped(int64(v))
	},
	"mib":     func(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) },
	"percent": func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" },
	"times":   func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
	"allocs":  func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) },
	"inverse": func(v float64) string {
		if v <= 0 {
			return "-"
		}
		return "1/" + strconv.FormatFloat(1/v, 'f', 1, 64)
	},
	"chunk": func(n int) string {
		if n == 0 {
			return "event"
		}
		return grouped(int64(n)) + " B"
	},
	// What is drawn has its text escaped already.
	"drawn": func(svg string) template.HTML { return template.HTML(svg) },
}).Parse(pageText)).Parse(loadText))

// WriteHTML writes the page. It fails when there is no result.
func (r *Results) WriteHTML(w io.Writer) error {
	if len(r.Runs)+len(r.Comparisons)+len(r.Loads) == 0 {
		return errors.New("no results")
	}
	figures, err := r.figures()
	if err != nil {
		return err
	}
	return page.Execute(w, struct {
		Figures     []figure
		Runs        []Run
		Comparisons []Comparison
		Loads       []loadSection
		Machines    []string
		Faults      []string
	}{figures, ordered(r.Runs), r.Comparisons, r.loads(), r.machines(), r.faults()})
}

func (r *Results) loads() []loadSection {
	var list []loadSection
	for i := range r.Loads {
		list = append(list, loadSection{&r.Loads[i]})
	}
	return list
}

// machines are where the results were measured, each once.
func (r *Results) machines() []string {
	var list []string
	add := func(e bench.Env) {
		name := fmt.Sprintf("%s, %s/%s, %d CPUs", e.Go, e.OS, e.Arch, e.CPUs)
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for i := range r.Runs {
		add(r.Runs[i].Env)
	}
	for i := range r.Comparisons {
		add(r.Comparisons[i].Env)
	}
	for i := range r.Loads {
		add(r.Loads[i].Env)
	}
	return list
}

// faults are what makes figures worth nothing.
func (r *Results) faults() []string {
	var list []string
	for i := range r.Runs {
		run := &r.Runs[i]
		if !run.Balanced {
			list = append(list, fmt.Sprintf("%s: the counts of %s do not balance", run.Source, run.Workload))
		}
		if run.Mismatches > 0 {
			list = append(list, fmt.Sprintf("%s: %d of %d stores of %s differ from the plain pipeline's", run.Source, run.Mismatches, run.Checked, run.Workload))
		}
	}
	for i := range r.Comparisons {
		if c := &r.Comparisons[i]; !c.Equal {
			list = append(list, fmt.Sprintf("%s: the stores of %s differ between plain and engine", c.Source, c.Workload))
		}
	}
	for _, l := range r.loads() {
		if !l.Valid {
			list = append(list, fmt.Sprintf("%s: the figures of %s are about the generating side as much as about the server", l.Source, l.Target()))
		}
	}
	return list
}

// number writes a large number by its order.
func number(v float64) string {
	for _, unit := range []struct {
		size float64
		sign string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return digits(v/unit.size) + unit.sign
		}
	}
	return digits(v)
}

// digits writes three significant ones, without zeros at the end.
func digits(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return trimmed(v, 1)
	case v >= 0.01:
		return trimmed(v, 2)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func trimmed(v float64, decimals int) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', decimals, 64), "0"), ".")
}

// grouped writes a number with a comma every three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func micros(v float64) string {
	switch {
	case v >= 1e6:
		return digits(v/1e6) + " s"
	case v >= 1e3:
		return digits(v/1e3) + " ms"
	}
	return digits(v) + " µs"
}

func millis(v float64) string { return micros(1000 * v) }
