package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Colours of a picture are the page's: what is drawn with one of these marks is given a CSS colour afterwards. Alpha is
// full, so a mark comes out as its six digits.
var (
	ink  = mark(0)
	grid = mark(1)
)

// A series has a colour and a way of being drawn that tells it apart without the colour.
const seriesColours = 6

func series(i int) color.Color { return mark(2 + i%seriesColours) }

const markRed, markGreen = 0x01, 0xfe

func mark(i int) color.Color { return color.NRGBA{R: markRed, G: markGreen, B: uint8(i), A: 0xff} }

var marked = regexp.MustCompile(fmt.Sprintf(`(fill|stroke):#%02X%02X([0-9A-F]{2})`, markRed, markGreen))

func pageColour(i int64) string {
	switch i {
	case 0:
		return "currentColor"
	case 1:
		return "var(--grid)"
	}
	return fmt.Sprintf("var(--series-%d)", i-1)
}

// Size of a picture, in its own units; the page scales it.
const (
	width  = 640 * vg.Length(1)
	height = 300 * vg.Length(1)
)

// axes say what a picture of lines is about.
type axes struct {
	x, y       string
	logX, logY bool
	fine       bool     // too many points for a mark each
	whole      bool     // x is a whole number, marked where something was measured
	xNames     []string // of the positions 0, 1, ...; nil: x is a number
}

type point struct{ x, y float64 }

// line is a series of points; one without a name is in no legend. An ideal one is dashed, has no name, and is of the colour of the grid.
type line struct {
	name   string
	points []point
	ideal  bool
}

// bars are a series of a bar chart, a value for each name; 0 is none.
type bars struct {
	name   string
	values []float64
}

// newPlot is a plot in the page's colours.
func newPlot(yLabel string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	style := func(s *text.Style, size vg.Length) {
		s.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
		s.Color = ink
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color = ink
		a.Tick.Color = ink
		a.Width, a.Tick.Width = 0.75, 0.75
		style(&a.Label.TextStyle, 12)
		style(&a.Tick.Label, 11)
	}
	style(&p.Legend.TextStyle, 11)
	p.Legend.Top = true
	p.Legend.Padding = 3
	p.Y.Label.Text = yLabel
	p.Y.Min = 0
	return p
}

func drawLines(a axes, lines []line) (string, error) {
	p := newPlot(a.y)
	p.X.Label.Text, p.X.Tick.Marker = a.x, linear{}
	if a.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
	}
	p.Y.Tick.Marker = linear{}
	if a.logY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	p.Add(horizontals())
	seen := newExtent()
	for i, l := range lines {
		xys := make(plotter.XYs, len(l.points))
		for k, pt := range l.points {
			xys[k].X, xys[k].Y = pt.x, pt.y
			seen.add(pt)
		}
		stroke, err := plotter.NewLine(xys)
		if err != nil {
			return "", err
		}
		stroke.Width = 2
		if l.ideal {
			stroke.Color, stroke.Width, stroke.Dashes = ink, 0.75, []vg.Length{3, 3}
			p.Add(stroke)
			continue
		}
		stroke.Color, stroke.Dashes = series(i), dashes(i)
		if a.fine {
			p.Add(stroke)
			if l.name != "" {
				p.Legend.Add(l.name, stroke)
			}
			continue
		}
		dots, err := plotter.NewScatter(xys)
		if err != nil {
			return "", err
		}
		dots.Color, dots.Shape, dots.Radius = series(i), shape(i), 3.5
		p.Add(stroke, dots)
		p.Legend.Add(l.name, stroke, dots)
	}
	if a.xNames != nil {
		p.NominalX(a.xNames...)
		style := newPlot("").X.Tick.Label
		style.YAlign = p.X.Tick.Label.YAlign
		p.X.Tick.Label = style
	}
	if a.logY {
		seen.spread(&p.Y, seen.lowY, seen.highY)
	} else {
		p.Y.Min, p.Y.Max = 0, seen.highY*1.05
		if seen.highY <= 0 {
			p.Y.Max = 1
		}
	}
	switch {
	case a.logX:
		seen.spread(&p.X, seen.lowX, seen.highX)
	case a.whole:
		p.X.Tick.Marker = measured(lines)
	}
	return render(p, len(lines))
}

func drawBars(yLabel string, log bool, names []string, groups []bars) (string, error) {
	p := newPlot(yLabel)
	p.Y.Tick.Marker = linear{}
	seen := newExtent()
	for _, g := range groups {
		for _, v := range g.values {
			if v > 0 {
				seen.add(point{1, v})
			}
		}
	}
	p.Y.Min, p.Y.Max = 0, seen.highY*1.12
	if log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
		p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(seen.lowY)))/2, math.Pow(10, math.Ceil(math.Log10(seen.highY)+0.15))
	}
	p.Add(horizontals())
	barWidth := min(44, 0.75*(width-70)/vg.Length(len(names)*len(groups)))
	for i, g := range groups {
		p.Add(&barSeries{
			values: g.values, width: barWidth, color: series(i), label: newPlot("").X.Tick.Label,
			shift: barWidth * vg.Length(2*i-len(groups)+1) / 2,
		})
		if len(groups) > 1 {
			p.Legend.Add(g.name, swatch{series(i)})
		}
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.X.Tick.Label.Color, p.X.Tick.Label.Font = ink, newPlot("").X.Tick.Label.Font
	return render(p, len(groups))
}

// barSeries draws bars from the bottom of the plot, so that a logarithmic axis, which has no zero, takes them too.
type barSeries struct {
	values []float64
	width  vg.Length
	shift  vg.Length
	color  color.Color
	label  text.Style
}

// Plot draws the bars, each with its value above.
func (b *barSeries) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	label := b.label
	label.XAlign, label.YAlign = text.XCenter, text.YBottom
	label.Font.Size = min(label.Font.Size, max(6, b.width*0.38))
	for i, v := range b.values {
		if v <= 0 {
			continue
		}
		left, top := toX(float64(i))+b.shift-b.width/2, toY(v)
		c.FillPolygon(b.color, []vg.Point{
			{X: left, Y: c.Min.Y}, {X: left, Y: top}, {X: left + b.width*0.92, Y: top}, {X: left + b.width*0.92, Y: c.Min.Y},
		})
		c.FillText(label, vg.Point{X: left + b.width*0.46, Y: top + 2}, number(v))
	}
}

// swatch shows a bar's colour in the legend.
type swatch struct{ color color.Color }

// Thumbnail fills the room that the legend gives.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.color, []vg.Point{
		{X: c.Min.X, Y: c.Min.Y}, {X: c.Min.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y},
	})
}

func horizontals() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color = nil
	g.Horizontal.Color, g.Horizontal.Width = grid, 0.5
	return g
}

func dashes(i int) []vg.Length {
	return [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}[i/seriesColours%4]
}

func shape(i int) draw.GlyphDrawer {
	return []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	}[i%seriesColours]
}

// extent is the range of what is drawn.
type extent struct{ lowX, highX, lowY, highY float64 }

func newExtent() extent {
	return extent{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
}

func (e *extent) add(p point) {
	e.lowX, e.highX = min(e.lowX, p.x), max(e.highX, p.x)
	e.lowY, e.highY = min(e.lowY, p.y), max(e.highY, p.y)
}

// spread gives a logarithmic axis some room at both ends.
func (e *extent) spread(a *plot.Axis, low, high float64) {
	a.Min, a.Max = low/1.5, high*1.5
}

// measured puts a mark at each x that a line has.
func measured(lines []line) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	seen := map[float64]bool{}
	for _, l := range lines {
		for _, pt := range l.points {
			if !seen[pt.x] {
				seen[pt.x] = true
				ticks = append(ticks, plot.Tick{Value: pt.x, Label: number(pt.x)})
			}
		}
	}
	return ticks
}

// linear puts a few round marks on an axis.
type linear struct{}

// Ticks are labelled as number writes them.
func (linear) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = number(ticks[i].Value)
		}
	}
	return ticks
}

// decades puts marks on a logarithmic axis: powers of ten, with twos and fives where there are few of those.
type decades struct{}

// Ticks are labelled as number writes them.
func (decades) Ticks(low, high float64) []plot.Tick {
	few := math.Log10(high/low) < 2.5
	var ticks []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			v := power * digit
			if v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if digit == 1 || few {
				t.Label = number(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// render draws the plot, with its legend above it, and gives the page's colours to it.
func render(p *plot.Plot, entries int) (string, error) {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	top := vg.Length(0)
	if entries > 1 || legend.Rectangle(draw.New(vgsvg.New(width, height))).Size().X > 60 {
		top = legend.Rectangle(draw.New(vgsvg.New(width, height))).Size().Y + 6
	}
	canvas := vgsvg.New(width, height+top)
	all := draw.New(canvas)
	p.Draw(draw.Crop(all, 4, -8, 4, -top-4))
	if top > 0 {
		legend.Left = true
		legend.XOffs, legend.YOffs = 60, -2
		legend.Draw(all)
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	return themed(b.String(), width, height+top), nil
}

// themed makes a picture part of the page: no prologue, no size of its own, the page's colours and font.
func themed(svg string, w, h vg.Length) string {
	if at := strings.Index(svg, "<svg"); at >= 0 {
		if end := strings.Index(svg[at:], ">"); end >= 0 {
			svg = svg[at+end+1:]
		}
	}
	svg = marked.ReplaceAllStringFunc(svg, func(s string) string {
		name, digits, _ := strings.Cut(s, ":")
		i, _ := strconv.ParseInt(digits[len(digits)-2:], 16, 64) // the pattern admits nothing else
		return name + ":" + pageColour(i)
	})
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "")
	return fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img">`, w.Points(), h.Points()) + svg
}
