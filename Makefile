# One plain Makefile. `make` builds build/dolly; `make help` lists the rest.
#
# VARIANT chooses how: (empty) gcc -O2, asan = clang with AddressSanitizer and UBSan,
# fuzz = clang with libFuzzer and both sanitizers, trace = gcc, with a list of the functions entered,
# cover = clang, with a count of how often each line ran, static = gcc, one file that needs no library of the machine,
# quick = gcc in a hurry, for ./demo.
# Each variant has its own folder, so that they never mix.

VARIANT ?=
B       := build$(if $(VARIANT),/$(VARIANT))
CC      := $(if $(filter asan cover fuzz,$(VARIANT)),clang,gcc)
PREFIX  ?= /usr/local
ZSH     ?= share/zsh/site-functions
SEEDS   ?= $(shell cat tests/swarm/seeds)
LONG    ?= 1-100000
FUZZ_TIME ?= 600

WARN     := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror
# Named numbers are constants of enums here, and are computed with like others.
WARN     += $(if $(findstring clang,$(CC)),-Wno-enum-float-conversion)
CPPFLAGS := -Isrc -I. -D_GNU_SOURCE -MMD -MP
# What a debugger is told. -g1, lines alone, is enough for a report and a tenth less to compile.
DEBUG    ?= -g
CFLAGS   := -std=c17 -O2 $(DEBUG) -ffp-contract=off -fno-math-errno $(WARN)
LDLIBS   := -lyajl -lyaml -ljansson -lxxhash -lz -lm
VERSION  := $(shell sed -n 's/^\#define DOLLY_VERSION "\(.*\)"/\1/p' src/ui/cli.h)
# An error that the sanitizers did not find must not become a way in: stacks, buffers of the C library and the table of
# its functions are guarded. `make release-check` looks for each in the program.
MACHINE  := $(shell $(CC) -dumpmachine)
HARDEN   := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection \
            $(if $(filter x86_64-%,$(MACHINE)),-fcf-protection)
# 32-bit machines: files and times are as large as elsewhere, and numbers rounded in the same way.
CPPFLAGS += $(if $(filter i386-% i686-% arm-%,$(MACHINE)),-D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64)
CFLAGS   += $(if $(filter i386-% i686-%,$(MACHINE)),-msse2 -mfpmath=sse)
CFLAGS   += $(if $(filter-out static,$(VARIANT)),,$(HARDEN))
LDFLAGS  += -Wl,-z,relro,-z,now
# Two builds of one version are equal to the byte, in whatever folder they are made.
CFLAGS   += '-ffile-prefix-map=$(CURDIR)=.'
# The hot part is compiled while it is linked.
LDFLAGS  += '-ffile-prefix-map=$(CURDIR)=.'
ifeq ($(VARIANT),asan)
# The other compiler, so that two builds show what three would. Reports need lines, and only these: a quarter less to
# compile. Each start touches all that could be overrun; at a fixed address it takes less.
# Undefined behaviour is an illegal instruction, of which tests/unit/sanitize.c has the line printed. A record of each
# place where it could be would be a variable that could be overrun, to be compiled, and registered at each start.
CFLAGS   += -O1 -g1 -fsanitize=address,undefined -fsanitize-trap=undefined -fno-omit-frame-pointer -fno-pie
LDFLAGS  += -fsanitize=address -no-pie
SANITIZE := $(B)/obj/tests/unit/sanitize.o
endif
ifeq ($(VARIANT),trace)
# Every function reports that it was entered (tests/unit/trace.c), for tools/one-event.
CFLAGS   += -O0 -g1 -finstrument-functions -fno-pie
LDFLAGS  += -no-pie
SANITIZE := $(B)/obj/tests/unit/trace.o
endif
ifeq ($(VARIANT),quick)
# Half the time to compile. A newcomer's compiler may know warnings that ours does not.
CFLAGS   += -O1 -g0 -w
endif
ifeq ($(VARIANT),static)
# Without libarchive, MUNGE, libmicrohttpd and native functions: a static program cannot load libraries (src/base/os/lazy.h).
CPPFLAGS += -DDOLLY_STATIC
LDFLAGS  += -static
LDLIBS   := -lyajl_s -lyaml -ljansson -lxxhash -lz -lpcre2-8 -llz4 -lzstd -lsnappy -lstdc++ -lssl -lcrypto -lm
endif
ifeq ($(VARIANT),cover)
# Processes share their counts through a file while they run, so that also those that are killed leave theirs.
COVER    := -fprofile-instr-generate=$(CURDIR)/$(B)/%m%c.profraw
CFLAGS   += -O1 -g0 $(COVER) -fcoverage-mapping -mllvm -runtime-counter-relocation
LDFLAGS  += $(COVER)
endif
ifeq ($(VARIANT),fuzz)
CFLAGS   += -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
            -fno-omit-frame-pointer
LDFLAGS  += -fsanitize=fuzzer,address,undefined
endif

# What every simulated event and every record of a job goes through is optimised as one piece, and
# functions that are called from one or two places go where they are called: together worth a sixth
# of an event's time, and a seventh of a record's. Only build/dolly is linked so, the tests take the
# plain code of the same objects. FAST= is for whoever edits and builds all day.
HOT      := $(addsuffix /%,$(addprefix src/,base core record sim inputs/cluster data jobs/task))
FAST     ?= $(if $(VARIANT),,-O3 -flto=auto -ffat-lto-objects \
            --param max-inline-insns-auto=60 --param inline-unit-growth=100)

SOURCES  := $(sort $(wildcard src/*/*.c src/*/*/*.c))
UNITS    := $(filter %_test.c,$(SOURCES))
LIBRARY  := $(filter-out %_test.c src/commands/cli/%,$(SOURCES))
CLI      := $(filter-out %_test.c,$(filter src/commands/cli/%,$(SOURCES)))
PARSERS  := $(filter-out %/main.c,$(CLI))
HARNESS  := tests/unit/capture.c tests/unit/command.c tests/unit/folder.c tests/unit/folder_test.c tests/unit/test.c
SWARM    := $(sort $(wildcard tests/swarm/*.c))
WORLDS   := $(sort $(wildcard tests/worlds/*.c))
FUZZ     := $(sort $(wildcard tests/fuzz/*.c))
SCRIPTS  := $(sort $(wildcard tests/e2e/*/*.sh tests/oracle/*.sh tests/crash/*.sh))
objects   = $(patsubst %.c,$(B)/obj/%.o,$(1))

# ---- building ----

all: $(B)/dolly

# All that the tests run.
programs: $(B)/dolly $(B)/unit $(B)/swarm $(B)/worlds $(B)/fuzzseeds $(B)/strike

$(B)/libdolly.a: $(call objects,$(LIBRARY))
	@rm -f $@ && ar rcs $@ $^

$(B)/dolly: $(call objects,$(CLI)) $(SANITIZE) $(B)/libdolly.a
	@echo '$(CC) $@'
	@$(CC) $(LDFLAGS) $(FAST) -o $@ $^ $(LDLIBS)

$(B)/unit: $(call objects,$(UNITS) $(HARNESS) $(PARSERS)) $(SANITIZE) $(B)/libdolly.a
	@echo '$(CC) $@'
	@$(CC) $(LDFLAGS) -fno-lto -o $@ $^ $(LDLIBS)

$(B)/swarm: $(call objects,$(SWARM)) $(SANITIZE) $(B)/libdolly.a
	@echo '$(CC) $@'
	@$(CC) $(LDFLAGS) -fno-lto -o $@ $^ $(LDLIBS)

$(B)/worlds: $(call objects,$(WORLDS)) $(SANITIZE) $(B)/libdolly.a
	@echo '$(CC) $@'
	@$(CC) $(LDFLAGS) -fno-lto -o $@ $^ $(LDLIBS)

# Every parser, also those of the commands, fed with kept bytes, or (VARIANT=fuzz) with bytes that
# libFuzzer makes up.
$(B)/fuzzseeds: $(call objects,$(filter-out %/libfuzzer.c,$(FUZZ)) $(PARSERS)) $(B)/libdolly.a
	@echo '$(CC) $@'
	@$(CC) $(LDFLAGS) -fno-lto -o $@ $^ $(LDLIBS)

$(B)/fuzz: $(call objects,$(filter-out %/seeds.c,$(FUZZ)) $(PARSERS)) $(B)/libdolly.a
	@echo '$(CC) $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Kills processes of dolly at their system calls, or has these fail. It watches, and is not watched itself.
$(B)/strike: tests/crash/strike.c Makefile
	@mkdir -p $(@D)
	@echo '$(CC) $@'
	@$(CC) -D_GNU_SOURCE -std=c17 -O1 $(WARN) -o $@ $<

# What is compiled a second time only to be watched, and is not hot, is compiled in haste,
# and so is the code of unit tests, always; but not what computes for seconds to check the network and queues of demands.
COLD     := $(if $(filter asan,$(VARIANT)),-O0)
HASTY    := -O0 -U_FORTIFY_SOURCE $(if $(VARIANT),-fno-sanitize=undefined)
$(B)/obj/src/sim/network/network_exact_test.o: HASTY := -O3
$(B)/obj/src/core/match/demand_queues_test.o: HASTY := -O2
how       = $(if $(filter %_test.c,$(1)),$(HASTY),$(if $(filter $(HOT),$(1)),$(FAST),$(if $(filter src/%,$(1)),$(COLD))))

# The headers of the C library are read once where that saves time: a fifth with clang, nothing with gcc. The plain
# build shows that each file names what it needs.
ifeq ($(VARIANT),asan)
LIBC     := errno inttypes limits math stdbool stddef stdint stdio stdlib string sys/stat unistd
READ     := $(B)/libc.h.gch $(B)/libc-O0.h.gch
libc      = -include $(B)/libc$(findstring -O0,$(1)).h
$(READ): Makefile
	@mkdir -p $(@D)
	@printf '#include <%s.h>\n' $(LIBC) >$(@:.gch=)
	@$(CC) $(CPPFLAGS:-MMD=-MD) $(CFLAGS) $(findstring -O0,$@) -x c-header -o $@ $(@:.gch=)
-include $(READ:.gch=.d)
endif

$(B)/obj/%.o: %.c Makefile | $(READ)
	@mkdir -p $(@D)
	@echo '$(CC) $<'
	@$(CC) $(CPPFLAGS) $(CFLAGS) $(call how,$<) $(call libc,$(call how,$<)) -c -o $@ $<

# Its assembler reads files of web/, which the compiler does not know of.
$(B)/obj/src/commands/report/web.o: $(wildcard web/*)

# The examples in C, as shared objects for `dolly run`.
EXAMPLES := $(patsubst examples/jobs/native/%.c,build/native/%.so,$(wildcard examples/jobs/native/*.c))
examples: $(EXAMPLES)

build/native/%.so: examples/jobs/native/%.c include/dolly.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -shared -fPIC -Iinclude -o $@ $<

# ---- testing ----

check:
	./check

test:
	./check --quick

# Is the way of an event as long as docs/inside/one-event.md shows?
one-event:
	$(MAKE) VARIANT=trace build/trace/dolly
	tools/one-event --check docs/inside/one-event.md

check-asan:
	$(MAKE) VARIANT=asan SEEDS=1-300 unit swarm scripts

unit: $(B)/unit
	$(B)/unit

swarm: $(B)/swarm
	$(B)/swarm --selftest
	$(B)/swarm --seeds $(SEEDS)

swarm-long: $(B)/swarm
	$(B)/swarm --seeds $(LONG)

# Random worlds in which copies may do harm, under POLICY beside none: no mean more than 1 % worse.
POLICY     ?= shepherd
WORLD_SEEDS ?= 1-300
worlds: $(B)/worlds
	$(B)/worlds --selftest
	$(B)/worlds --policy '$(POLICY)' --seeds $(WORLD_SEEDS)

# shepherd without one of its parts, one at a time: what each is worth; docs/measured/shepherd.md. Takes half an hour.
ablations:
	tools/ablations

# What the fuzzer has found, again; and looking for more: FUZZ_TIME seconds for each of TARGETS.
fuzz-seeds: $(B)/fuzzseeds
	$(B)/fuzzseeds

fuzz:
	tools/deps fuzz
	$(MAKE) VARIANT=fuzz build/fuzz/fuzz
	tests/fuzz/run build/fuzz/fuzz $(FUZZ_TIME) $(TARGETS)

# Small mistakes, one at a time: do the tests notice? Takes most of an hour.
mutants:
	tools/mutants

# Which code do unit tests, a swarm and these scripts run?
COVERED ?= cli explain map map_compat map_output run streaming native resume replay trace agents apart
coverage:
	tools/coverage $(COVERED)

# End-to-end tests; each takes the binary to test.
scripts: $(B)/dolly $(B)/strike
	@for t in $(SCRIPTS); do echo "== $$t"; bash $$t $(B)/dolly || exit 1; done

# Ten thousand processes killed or stopped, links cut, file systems filled, on clusters of our own side by side: most
# of an hour. KILLS= for another number, SEED= for other ones, LANES= for other clusters.
KILLS ?= 10000
SEED ?= 1
slurm-long: $(B)/dolly
	bash tests/crash/kills/campaign $(B)/dolly $(KILLS) $(SEED) $(LANES)

# Links cut for a second and for longer, between machines that are network namespaces. Needs root.
CUTS ?= 1 5 20
net-long: $(B)/dolly
	bash tests/e2e/remote/net.sh $(B)/dolly $(CUTS)

# A small data-parallel job killed at every system call of each of its processes, or with that call failing; runs that
# lose the power at each of their syncs and renames.
crash-long: $(B)/dolly $(B)/strike
	bash tests/crash/crash.sh $(B)/dolly all
	bash tests/crash/power.sh $(B)/dolly all $(SEED)

# Recorded runs. UPDATE=1 make golden rewrites them; review the difference like code.
golden: $(B)/dolly
	bash tests/oracle/golden.sh $(B)/dolly

bench: $(B)/dolly
	bash bench/run $(B)/dolly

# What dolly itself costs, in counts; docs/measured/instructions.md.
instructions: $(B)/dolly
	bench/instructions --page $(B)/dolly

# A million real tasks, which takes minutes.
bench-million: $(B)/dolly
	bash bench/million $(B)/dolly

# The same job on real processes and in the simulator; docs/measured/fidelity.md.
fidelity: $(B)/dolly
	bash experiments/fidelity/run $(B)/dolly ten
	bash experiments/fidelity/run $(B)/dolly shuffle

# Real runs with chaos, and how far their replays are from them; docs/use/replay-and-whatif.md.
replay-check: $(B)/dolly
	bash experiments/replay/run $(B)/dolly

# Pairs of real runs with clones and without, beside busy loops: how often "saved" and replays are right; docs/use/map.md.
PAIRS ?= 20
saved-pairs: $(B)/dolly
	bash experiments/saved/run $(B)/dolly $(PAIRS)

# Every recipe on every real trace beside the project, docs/measured/results.md; some five minutes on two cores. QUICK=--quick: fewer.
harmless: $(B)/dolly
	bash experiments/results/harmless $(B)/dolly $(QUICK)

results: $(B)/dolly
	bash experiments/results/run $(B)/dolly $(QUICK) >$(B)/results.md
	mv $(B)/results.md docs/measured/results.md

# GNU parallel's own answers to our cases; it must be installed. CASES= takes another file of them.
CASES ?= tests/oracle/parallel/cases
parallel-suite: $(B)/dolly
	tools/parallel-diff $(B)/dolly $(CASES)

completions: $(B)/dolly
	tools/completions $(B)/dolly bash >completions/dolly.bash
	tools/completions $(B)/dolly zsh >completions/_dolly
	tools/completions $(B)/dolly fish >completions/dolly.fish

# The pages of the commands and the man page, from the help.
pages: $(B)/dolly
	tools/pages $(B)/dolly docs/reference

# Every file read by a compiler that may be another, and not compiled: CC=clang-19.
syntax:
	@printf '%s\n' $(SOURCES) $(HARNESS) $(SWARM) $(WORLDS) $(FUZZ) | \
	    xargs -P "$$(nproc)" -n 16 $(CC) $(filter-out -M%,$(CPPFLAGS)) $(CFLAGS) -fsyntax-only

tidy: $(call objects,$(LIBRARY) $(CLI))
	tools/tidy $(B)/obj

# ---- the rest ----

fmt:
	clang-format -i $(SOURCES) $(wildcard src/*/*.h src/*/*/*.h tests/unit/*.[ch] tests/swarm/*.[ch] tests/worlds/*.[ch] tests/fuzz/*.[ch])

demo:
	./demo

# What is installed, and where below PREFIX.
INSTALLED := bin/dolly include/dolly.h share/man/man1/dolly.1 share/bash-completion/completions/dolly \
            $(ZSH)/_dolly share/fish/vendor_completions.d/dolly.fish
install: $(B)/dolly
	install -D -m 755 $(B)/dolly $(DESTDIR)$(PREFIX)/bin/dolly
	install -D -m 644 include/dolly.h $(DESTDIR)$(PREFIX)/include/dolly.h
	install -D -m 644 docs/reference/dolly.1 $(DESTDIR)$(PREFIX)/share/man/man1/dolly.1
	install -D -m 644 completions/dolly.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/dolly
	install -D -m 644 completions/_dolly $(DESTDIR)$(PREFIX)/$(ZSH)/_dolly
	install -D -m 644 completions/dolly.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/dolly.fish
	find experiments -type f ! -perm -u+x -exec install -D -m 644 {} $(DESTDIR)$(PREFIX)/share/dolly/{} \;
	find experiments -type f -perm -u+x -exec install -D -m 755 {} $(DESTDIR)$(PREFIX)/share/dolly/{} \;

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED))
	rm -rf $(DESTDIR)$(PREFIX)/share/dolly

# ---- releasing: docs/inside/release.md ----

# One file for machines on which nothing can be installed.
static:
	$(MAKE) VARIANT=static build/static/dolly
	strip -o build/dolly-$(VERSION)-$(shell uname -m) build/static/dolly

# The last commit as a tarball, the same to the bit each time.
dist:
	mkdir -p build
	git archive --format=tar --prefix=dolly-$(VERSION)/ HEAD | gzip -9n >build/dolly-$(VERSION).tar.gz

# Debian packages of the last commit, in build/deb.
deb: dist
	tools/deps deb
	tools/deb build/dolly-$(VERSION).tar.gz build/deb

# A pristine Debian in a folder, in which README's commands run and the package comes and goes.
fresh: deb
	tools/deps fresh
	tools/fresh build/dolly-$(VERSION).tar.gz build/deb

# The static program in a Debian 11, 12 and 13, and where there is no C library at all.
static-roots: static
	tools/deps fresh
	tools/static-roots build/dolly-$(VERSION)-$(shell uname -m)

# Two builds in two folders: the same to the byte.
reproducible: dist
	tools/reproducible build/dolly-$(VERSION).tar.gz

# Other architectures, a folder of build/cross for each, with their unit tests. ARCHS=armhf for some of them.
ARCHS ?= arm64 i386 armhf
cross: $(B)/dolly
	tools/deps fresh
	tools/cross $(ARCHS)

# Other compilers, of three releases of Debian: no warning. COMPILERS=gcc-14 for some of them.
compilers:
	tools/deps fresh
	tools/compilers $(COMPILERS)

# Everything that a release needs, one step after another.
release-check:
	tools/release-check

clean:
	rm -rf build

help:
	@echo 'make              build build/dolly'
	@echo 'make examples     the examples in C for dolly run, into build/native'
	@echo 'make test         the tests that say most in a minute, for people who edit'
	@echo 'make check        every test; what ./check does'
	@echo 'make check-asan   unit tests, swarm and end-to-end tests with AddressSanitizer and UBSan'
	@echo 'make one-event    the way of one event through the code, compared with docs/inside/one-event.md'
	@echo 'make unit         unit tests'
	@echo 'make swarm        random worlds watched by the referee; SEEDS=1-300 for other seeds'
	@echo 'make swarm-long   the same for a hundred thousand seeds; LONG=200001-300000 for others'
	@echo "make worlds       thousands of random worlds in which copies may do harm; POLICY='late;cap=0.1' for another policy"
	@echo 'make ablations    shepherd without each of its parts, on models, traces and random worlds; half an hour'
	@echo 'make fuzz-seeds   every parser on the bytes that are kept for it'
	@echo 'make fuzz         libFuzzer, FUZZ_TIME=600 seconds for each parser, or TARGETS="workload ..."'
	@echo 'make mutants      small mistakes, one at a time: do the tests notice? Takes most of an hour'
	@echo 'make coverage     which code the tests run, by wing, and functions that they do not; COVERED="map cli" for other scripts'
	@echo 'make scripts      end-to-end tests'
	@echo 'make slurm-long   ten thousand kills on clusters of our own; KILLS=100 for fewer, LANES="slurm net local"'
	@echo 'make net-long     links cut for 1, 5 and 20 s; CUTS="2 60" for others; needs root'
	@echo 'make crash-long   data-parallel jobs killed at every system call, runs that lose the power; takes a quarter of an hour'
	@echo 'make golden       recorded runs; UPDATE=1 rewrites them'
	@echo 'make instructions what a task costs, in counts'
	@echo 'make bench        how fast dolly is, beside its peers'
	@echo 'make bench-million  a million real tasks, which takes minutes'
	@echo 'make fidelity     real processes against the simulator; takes fifteen minutes'
	@echo 'make replay-check  real runs with chaos against their replays; takes ten minutes'
	@echo 'make saved-pairs  pairs of real runs: how often what is said of clones is true; ten minutes'
	@echo 'make harmless     each mitigation beside the same order without it, on real traces and at several loads; QUICK=--quick'
	@echo 'make results      every recipe on every real trace; some ten minutes, goes on where it stopped; QUICK=--quick'
	@echo 'make parallel-suite  the same commands with GNU parallel, compared; CASES=tests/oracle/parallel/cases'
	@echo 'make completions  what shells complete, from the help'
	@echo 'make pages        the pages of the commands and the man page, from the help'
	@echo 'make tidy         the rules of the layers and of the text'
	@echo 'make fmt          clang-format over all sources'
	@echo 'make demo         a short tour; what ./demo does'
	@echo 'make install      program, header, man page, completions and experiments into $$(DESTDIR)$$(PREFIX); PREFIX=/usr/local'
	@echo 'make uninstall    remove what make install installed'
	@echo 'make static       build/dolly-$(VERSION)-ARCH, one file that needs no library of the machine'
	@echo 'make static-roots it, tried in Debian 11, 12, 13 and without any C library; needs root'
	@echo 'make dist         build/dolly-$(VERSION).tar.gz of the last commit'
	@echo 'make deb          Debian packages of the last commit, into build/deb'
	@echo 'make fresh        README and the packages in a pristine Debian; needs root'
	@echo 'make reproducible two builds in two folders, equal to the byte'
	@echo 'make cross        arm64, i386 and armhf with their unit tests, into build/cross; needs root'
	@echo 'make compilers    no warning with other gcc and clang, of three releases of Debian; needs root'
	@echo 'make syntax       every file read by CC=clang-19 or another compiler'
	@echo 'make release-check  every step of docs/inside/release.md'
	@echo 'make clean        remove build/'
	@echo 'Add VARIANT=asan to build and test with clang and sanitizers, in build/asan.'

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
.PHONY: all programs examples check test one-event check-asan unit swarm swarm-long worlds ablations mutants coverage fuzz-seeds fuzz scripts slurm-long net-long crash-long golden bench instructions bench-million \
	fidelity replay-check saved-pairs harmless results parallel-suite completions pages tidy fmt demo install uninstall \
	static static-roots dist deb fresh reproducible cross compilers syntax release-check clean help
.DELETE_ON_ERROR:
