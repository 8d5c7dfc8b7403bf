# Go is all that is needed; tools come from .ci/tools at their pinned versions.

GO       ?= go
TOOL     := $(GO) tool -modfile=.ci/tools/go.mod
PACKAGES := ./... ./testdata/captures
FUZZTIME ?= 30s
BENCH    ?= .
COUNT    ?= 6
BASELINE ?= testdata/bench/baseline.txt
RESULTS  ?= bench.out

.PHONY: all build test poison race fuzz lint fmt bench bench-compare ci

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

# make bench BENCH=Pipeline RESULTS=new.out
bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./... >$(RESULTS)
	$(TOOL) benchstat $(RESULTS)

bench-compare:
	$(TOOL) benchstat $(BASELINE) $(RESULTS)

ci:
	.ci/run
