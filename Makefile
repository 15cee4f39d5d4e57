# Countersign. `make dev` starts a server for development, `make run` one without, `make test` runs all tests; all install what is
# missing first.

SWIFT ?= swift
# The scripts go by it too.
export SWIFT
# What `make run`, `make dev` and `make demo` pass on, for instance: make run ARGS="--listen 127.0.0.1:9000"
ARGS ?=

# Releases on Linux have Swift's libraries in them: a request takes a fifth to two fifths less CPU (docs/decisions/0168).
# On Apple's systems these libraries are part of the system.
release = -c release
ifeq ($(shell uname -s),Linux)
release += --static-swift-stdlib
# One way to link: only `main` is exported, relative relocations are packed, all others are bound before the program starts
# (docs/decisions/0360).
release += -Xswiftc -use-ld=lld -Xlinker --version-script=$(CURDIR)/deploy/release.map -Xlinker --undefined-version \
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now
# Constants lie where nothing can be written (docs/decisions/0493). Valgrind 3.19 writes there itself: give it a program of LAYOUT=.
LAYOUT ?= -Xlinker -T$(CURDIR)/deploy/release.ld
release += $(LAYOUT)
# The tenth of ICU's data that the program may have use for (docs/decisions/0506). All of it: make release ICU=whole
ICU ?= small
ifeq ($(ICU),small)
release += $(shell SWIFT="$(SWIFT)" scripts/icu-data flags .build/icu-data)
endif
# Generic types are made by the functions that know their parameters, and not by their names, for which a start would search the
# program's conformances (docs/decisions/0494).
release += -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# The link leaves out libpq, libcurl and the thirty libraries that they load: the program has what opens them when they are needed
# (Sources/CSystem/CLateLibraries, docs/decisions/0504). Linked to them as ever: make release LATE=
LATE ?= 1
late = $(if $(LATE),-Xlinker '--remap-inputs=*/libpq.so=/dev/null' -Xlinker '--remap-inputs=*/libcurl.so=/dev/null')
# What ran how often in a trial, for the optimizer, and its functions in their order, for the linker (docs/decisions/0426). `make profile`
# makes the file, which is not kept in the repository: without it, or by `make release PROFILE=`, a release is built as ever.
PROFILE ?= $(wildcard deploy/release.profdata)
ifneq ($(PROFILE),)
release += $(shell SWIFT="$(SWIFT)" scripts/profile flags "$(PROFILE)")
endif
# A section for each function: the linker leaves out those that nothing calls, and puts together what requests use, by the names in a file
# (docs/decisions/0588). `make order` makes it anew; names that are gone do no harm. Without an order: make release ORDER=
# A profile has one of its own.
release += -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
ORDER ?= $(if $(PROFILE),,$(wildcard deploy/release.order.gz))
ifneq ($(ORDER),)
release += $(shell scripts/order flags "$(ORDER)")
endif
endif

# Flags of the build of the tests, for instance those of .ci/run. Another choice than last time builds everything anew.
TEST_BUILD ?=

# Warnings are errors in builds of this repository, and not in those of apps that depend on it (Package.swift).
export WARNINGS_ARE_ERRORS := 1

.DEFAULT_GOAL := help
.PHONY: help deps libraries run dev demo release install deb packages docs quick test stories pictures endurance endurance-full profile order bench check
.PHONY: format clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16

deps: ## Install the system libraries and tools that are missing (apt or brew), without asking
	@scripts/deps

libraries: ## Install only what the build needs
	@scripts/deps build

run: libraries ## Build a release and start the server, on ./countersign-data
	$(SWIFT) build $(release) $(late) --product countersign
	.build/release/countersign serve $(ARGS)

dev: libraries ## The same for a laptop, on ./countersign-dev-data: inbox, plain http, movable clock, samples
	$(SWIFT) build $(release) $(late) --product countersign
	.build/release/countersign serve --dev $(ARGS)

demo: libraries ## Play the whole story in the terminal, against a server of its own (ARGS=--pause to scan its QR code)
	$(SWIFT) build $(release) $(late) --product countersign
	.build/release/countersign demo $(ARGS)

# Where `make install` puts things; DESTDIR goes before it, for packages.
prefix ?= /usr/local
DESTDIR ?=
dist := .build/dist
# A release that is built already, instead of building one: make packages program=/path/to/countersign
program ?=
# The program or the package of an earlier release, for the upgrade that is tried: make packages older=/path/to/countersign
older ?=

# The commit is told to this build alone: each other one would otherwise begin anew with each commit. A tree with changes has none.
release: libraries ## Build one stripped program with its man pages and completions, in .build/dist
ifeq ($(program),)
	COUNTERSIGN_COMMIT=$$(git diff --quiet HEAD 2>/dev/null && git rev-parse --short=12 HEAD) \
	COUNTERSIGN_COMMIT_DATE=$$(git log -1 --format=%cs 2>/dev/null) $(SWIFT) build $(release) $(late) --product countersign
else
	@# Nothing is built, so nothing may be checked out yet: the licences of what is linked in are read there.
	@scripts/notices >/dev/null 2>&1 || $(SWIFT) package resolve
endif
	scripts/distribute $(or $(program),.build/release/countersign) $(dist)

install: ## Install what `make release` made: make install prefix=/usr/local DESTDIR=
	@test -x $(dist)/bin/countersign || { echo "Run make release first." >&2; exit 1; }
	install -d "$(DESTDIR)$(prefix)"
	cp -R $(dist)/. "$(DESTDIR)$(prefix)/"

deb: release ## Make a Debian package of it, in .build/packages
	@scripts/deps packages
	scripts/make-deb $(dist) .build/packages

# Shows a command, runs it, and says how long it took.
timed = echo "$(1)"; begin=$$(date +%s); $(1) && echo "$(firstword $(1)): $$(($$(date +%s) - begin)) s"

# Pages whose commands are run. Other pages have commands too, which ask for something or are for other servers: that the program knows them is
# a test's (HelpTests).
guides := README.md $(addprefix docs/,operations.md setup.md administration.md custom-extensions.md doctor.md events.md guardian.md \
    native-auth.md openid.md recipes.md) $(wildcard docs/migrating/*.md)

# The examples of the guides lie beside a program that was given. Each part says how long it took.
packages: deb ## Try the package in a bare Debian, and the files of deploy/ with the real programs
	@$(call timed,scripts/check-layout $(dist))
	@$(call timed,scripts/check-deb .build/packages $(older))
	@$(call timed,scripts/check-proxies $(dist)/bin/countersign)
	@$(call timed,scripts/check-monitoring $(dist)/bin/countersign)
ifeq ($(program),)
	$(SWIFT) build $(release) --product notes-service
	$(SWIFT) build $(release) --product mcp-service
endif
	@$(call timed,scripts/check-guides $(or $(program),$(dist)/bin/countersign) $(guides))
	@$(call timed,scripts/check-container $(dist) .build/packages)

docs: libraries ## Make the reference documentation of each product in .build/docs, and fail on a warning or a symbol without a comment
	$(SWIFT) build
	scripts/docs

# What a change is checked with while it is made. REQUIRE_POSTGRES=0 leaves out PostgreSQL, where it is installed.
quick_tests := ^(JSONTests|OneTimePasswordTests|CoreTests|SecurityChecksTests|StoreTests)[.]|[.](WireTests|GoldenAnswerTests)/
quick: libraries check ## In two minutes after a build: format, seams, core, stores on SQLite, what goes over the wire
	$(SWIFT) build --build-tests
	REQUIRE_POSTGRES=0 CHECK_LOCK_ORDER=1 SWIFT=$(SWIFT) scripts/run-tests --parallel \
	    --experimental-maximum-parallelization-width 8 --filter '$(quick_tests)'

# Eight at a time: all at once would hold so many files open that Foundation cannot start another process. CHECK_LOCK_ORDER
# undoes a transaction that locks rows in another order than all others (docs/decisions/0124).
# What Python brings is downloaded beside the checks, which need none of it.
test: ## Run every check and every test
	@scripts/deps tools
	@scripts/deps & installing=$$!; $(MAKE) --no-print-directory check; checked=$$?; wait $$installing && exit $$checked
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error $(TEST_BUILD)
	scripts/check-package
	scripts/docs $(if $(docc),,--count)
	REQUIRE_POSTGRES=1 REQUIRE_SWTPM=1 CHECK_LOCK_ORDER=1 \
	    SWIFT=$(SWIFT) scripts/run-tests --parallel --experimental-maximum-parallelization-width 8

# Comments of which DocC warns are found with the tests, where it is beside the compiler.
docc = $(shell command -v $(patsubst ./%,%,$(dir $(SWIFT))docc))

# The pictures are for people: look at them after a change of the pages.
stories: deps ## Show every page in Chromium, in every language, light and dark, wide and narrow; pictures in .build/stories
	$(SWIFT) build --product countersign
	.build/test-python/bin/python Tests/EndToEndTests/Browser/stories/tell .build/debug/countersign .build/stories

pictures: deps ## Take the pictures of docs/pictures anew, out of the stories
	$(SWIFT) build --product countersign
	.build/test-python/bin/python Tests/EndToEndTests/Browser/stories/pictures .build/debug/countersign

# The driver has a help: Tests/Endurance/endure --help. To try an upgrade while it runs: make endurance ARGS="--older path/to/countersign"
endurance: deps ## Suites with kills, bursts and races, then a server driven from outside in many ways (docs/endurance.md), in their short form
	$(SWIFT) build --build-tests
	SWIFT=$(SWIFT) scripts/endurance $(ARGS)

endurance-full: deps ## The driver alone at the size of docs/endurance.md, against a release: some hours
	$(SWIFT) build $(release) $(late) --product countersign
	.build/test-python/bin/python Tests/Endurance/endure .build/release/countersign --full --json .build/endurance.json $(ARGS)

profile: libraries ## Make deploy/release.profdata: what runs how often under the loads of `make bench`, for the next `make release`
	$(SWIFT) build $(release) --product countersign-bench
	scripts/profile make deploy/release.profdata

order: libraries ## Make deploy/release.order.gz anew: which functions of a release requests use, for the linker (x86-64 alone)
	$(SWIFT) build $(release) --product countersign-bench
	@mkdir -p .build
	$(SWIFT) build $(release) $(late) --product countersign -Xlinker -Map=$(CURDIR)/.build/order.map
	scripts/order make .build/release/countersign .build/order.map deploy/release.order.gz

# Give it a quiet machine. For a look: make bench ARGS="--rounds 1 --only jwks"
bench: libraries ## Measure a release against its limits, and write Benchmarks/RESULTS.md (five rounds of some minutes each)
	$(SWIFT) build $(release) $(late) --product countersign
	$(SWIFT) build $(release) --product countersign-bench
	$(SWIFT) build $(release) --product keychain-bench
	.build/release/countersign-bench $(if $(ARGS),$(ARGS),--write Benchmarks/RESULTS.md)
	.build/release/keychain-bench

check: ## Check the format and the seams (no clock or random numbers outside Ambient, no forbidden imports)
	scripts/check-seams --self-test
	scripts/check-platforms --self-test
	scripts/check-docs --self-test
	scripts/check-test-names --self-test
	scripts/check-messages --self-test
	scripts/notices --self-test
	scripts/order --self-test
	python3 Tests/EndToEndTests/Browser/hostile/corpus.py
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Benchmarks Snippets Examples

format: ## Format the sources in place
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks Snippets Examples

clean: ## Remove what was built
	rm -rf .build
