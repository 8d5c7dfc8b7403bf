package load

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench"
)

func TestParseSLO(t *testing.T) {
	cases := []struct {
		text string
		want []float64 // limits, in the metric's unit; nil: refused
	}{
		{"p99<200ms", []float64{200}},
		{"p99<200ms,errors<0.1%", []float64{200, 0.001}},
		{" p50 <= 1.5s , gap.max < 2m ", []float64{1500, 120_000}},
		{"firstToken.p99.9<1s,p99.9<1s,p999<1s", []float64{1000, 1000, 1000}},
		{"run.p90<10s,service.mean<9s,firstEvent.p50<1us", []float64{10_000, 9000, 0.001}},
		{"errors<=5", []float64{5}},
		{"errors<0%", []float64{0}},
		{"events/s>10000,runs/s>=2.5", []float64{10_000, 2.5}},
		{"", nil},
		{"p99", nil},
		{"p99<", nil},
		{"p99=200ms", nil},
		{"p99<200", nil},
		{"p99<-1ms", nil},
		{"p99<1%", nil},
		{"p98<1ms", nil},
		{"token.p99<1ms", nil},
		{"errors<1ms", nil},
		{"errors<x%", nil},
		{"errors<-1", nil},
		{"errors<NaN", nil},
		{"events/s>1%", nil},
		{"p99<1ms,", nil},
		{"p99<<1ms", nil},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			slo, err := ParseSLO(c.text)
			if (err == nil) != (c.want != nil) {
				t.Fatalf("error %v", err)
			}
			var got []float64
			for _, g := range slo {
				got = append(got, g.limit)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudgeSLO(t *testing.T) {
	first := Distribution{Percentiles: bench.Percentiles{P50: 10, P90: 50, P99: 199, P999: 250, Max: 300}, Mean: 20, Count: 1000}
	result := &Result{
		RunsDone: 2000, RunsWithErrors: 2, Seconds: 10, EventsPerSecond: 5000, FirstEventMillis: first,
		RunMillis: Distribution{Percentiles: bench.Percentiles{P99: 4000}, Count: 1000},
	}
	cases := []struct {
		goal string
		met  bool
		got  string
	}{
		{"p99<200ms", true, "199 ms"},
		{"p99<199ms", false, "199 ms"},
		{"p99<=199ms", true, "199 ms"},
		{"max<200ms", false, "300 ms"},
		{"run.p99<5s", true, "4.00 s"},
		{"gap.p99<5s", false, "nothing was measured"},
		{"errors<0.1%", false, "2 of 2000, 0.1%"},
		{"errors<=0.1%", true, "2 of 2000, 0.1%"},
		{"errors<0.2%", true, "2 of 2000, 0.1%"},
		{"errors<2", false, "2 of 2000"},
		{"errors<3", true, "2 of 2000"},
		{"events/s>4999", true, "5000"},
		{"runs/s>=201", false, "200"},
	}
	for _, c := range cases {
		t.Run(c.goal, func(t *testing.T) {
			slo, err := ParseSLO(c.goal)
			if err != nil {
				t.Fatal(err)
			}
			verdicts, met := slo.Judge(result)
			if diff := cmp.Diff([]Verdict{{c.goal, c.got, c.met}}, verdicts); diff != "" || met != c.met {
				t.Errorf("met %v, verdicts (-want +got):\n%s", met, diff)
			}
		})
	}
	t.Run("one missed goal fails all", func(t *testing.T) {
		slo, err := ParseSLO("p99<200ms,errors<1,p50<1s")
		if err != nil {
			t.Fatal(err)
		}
		if verdicts, met := slo.Judge(result); met || len(verdicts) != 3 {
			t.Errorf("met %v, %v", met, verdicts)
		}
	})
	t.Run("nothing was done", func(t *testing.T) {
		slo, err := ParseSLO("errors<1%")
		if err != nil {
			t.Fatal(err)
		}
		if _, met := slo.Judge(&Result{}); met {
			t.Error("a load without a run met its goals")
		}
	})
}
