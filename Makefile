# Go is all that is needed; tools come from .ci/tools at their pinned versions.

GO        ?= go
TOOL      := $(GO) tool -modfile=.ci/tools/go.mod
PACKAGES  := ./... ./testdata/captures
FUZZTIME  ?= 30s
BENCH     ?= .
COUNT     ?= 6
BENCHTIME ?= 300ms
BASELINE  ?= testdata/bench/baseline.txt
RESULTS   ?= bench.out

.PHONY: all build test poison race fuzz lint fmt bench bench-compare bench-baseline ci

all: build test lint

build:
	$(GO) build $(PACKAGES)
	$(GO) build -o aguibench ./cmd/aguibench

test:
	$(GO) test ./...

# Lent memory is overwritten after its time, to catch whoever keeps it.
poison:
	$(GO) test -tags aguipoison ./...

race:
	$(GO) test -race ./...

# make fuzz FUZZTIME=5m; FUZZ=FuzzPatch narrows it.
fuzz:
	.ci/fuzz $(FUZZTIME)

lint:
	$(GO) vet $(PACKAGES)
	$(TOOL) staticcheck $(PACKAGES)
	$(TOOL) golangci-lint run $(PACKAGES)

fmt:
	$(TOOL) golangci-lint fmt

# make bench BENCH=Pipeline RESULTS=new.out COUNT=10; some ten minutes for all of it. benchstat reads what it writes.
bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT) ./... >$(RESULTS).part || { cat $(RESULTS).part; exit 1; }
	mv $(RESULTS).part $(RESULTS)
	$(TOOL) benchstat $(RESULTS)

# Against another commit: keep its results and name them as BASELINE.
bench-compare:
	@test -f $(BASELINE) || { echo "there is no $(BASELINE): make bench-baseline writes it"; exit 1; }
	@test -f $(RESULTS) || { echo "there is no $(RESULTS): make bench writes it"; exit 1; }
	$(TOOL) benchstat $(BASELINE) $(RESULTS)

# To be run on an idle machine, and committed with what made the figures move.
bench-baseline:
	mkdir -p $(dir $(BASELINE))
	$(MAKE) bench RESULTS=$(BASELINE)

ci:
	.ci/run
