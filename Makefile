# bkpriv: publish PostgreSQL tables safely against adversaries with background knowledge.
#
# `make help` lists the commands. Installing into a server follows PGXS (PG_CONFIG, DESTDIR); the
# commands for a private server do all their own set-up, in scripts/.

EXTENSION  := bkpriv
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" bkpriv.control)
# What an installation runs, in order; an upgrade to the present version runs all that can run again
# after what it has of its own. Frozen scripts are installed as they are, to restore dumps with; there may be none.
AGAIN      := $(sort $(wildcard sql/functions/*.sql)) $(sort $(wildcard sql/ties/*.sql)) sql/seal.sql
SCRIPT     := .build/$(EXTENSION)--$(EXTVERSION).sql
UPGRADES   := $(patsubst sql/upgrades/%,.build/%,$(wildcard sql/upgrades/*--$(EXTVERSION).sql))
RELEASED   := $(filter-out $(patsubst .build/%,sql/released/%,$(SCRIPT) $(UPGRADES)),$(wildcard sql/released/*.sql))
PYTHON     := .build/venv/bin/python

# Commands that need no server to begin with.
PRIVATE := bench bench-long clean compare deb demo docs down fuzz help lint lock study test test-all up wheel
.PHONY: $(PRIVATE) freeze scripts stage-python install-python uninstall-python FORCE

ifneq (,$(filter-out $(PRIVATE),$(or $(MAKECMDGOALS),all)))

# --- Installing into a server: make && sudo make install [PG_CONFIG=…] [DESTDIR=…] ---------------

PG_CONFIG   ?= $(shell scripts/find_server.sh)
PGXS        := $(shell $(PG_CONFIG) --pgxs)
DATA        := $(RELEASED)
DATA_built  := $(SCRIPT) $(UPGRADES)
EXTRA_CLEAN := .build
$(if $(wildcard $(PGXS)),,$(error no PostgreSQL server found; pass PG_CONFIG=/path/to/pg_config))
include $(PGXS)

python_path = $(pkglibdir)/$(EXTENSION)/$(EXTVERSION)
build_sql   = scripts/build_sql.sh '$@' '$(EXTVERSION)' $(filter-out FORCE,$^)

all: stage-python
install: install-python
uninstall: uninstall-python

$(SCRIPT): sql/preamble.sql $(sort $(wildcard sql/tables/*.sql)) $(AGAIN) sql/gates.sql FORCE
	$(build_sql)

$(UPGRADES): .build/%: sql/preamble.sql sql/upgrades/% $(AGAIN) FORCE
	$(build_sql)

scripts: $(SCRIPT) $(UPGRADES)

freeze: scripts
	mkdir -p sql/released
	cp $(SCRIPT) $(UPGRADES) sql/released/
	sha256sum sql/released/*.sql $(wildcard tests/db/released/*.dump.sql) >sql/released/SHA256SUMS

stage-python:
	scripts/stage_python.sh '$(PG_CONFIG)' >/dev/null

install-python: stage-python
	DESTDIR='$(DESTDIR)' scripts/install_python.sh '$(PG_CONFIG)' '$(python_path)'

uninstall-python:
	rm -rf '$(DESTDIR)$(pkglibdir)/$(EXTENSION)'

else

# --- A private server and what runs on it --------------------------------------------------------

export PG_CONFIG
unexport PYTHONHOME PYTHONPATH
up_uri  = uri=$$(scripts/server.sh up)
server  = pg_config=$$(scripts/packages.sh)
client  = $(server) && scripts/venv.sh "$$pg_config" --client >/dev/null
develop = $(server) && scripts/venv.sh "$$pg_config" --dev >/dev/null
others  = for other in $(OTHERS); do scripts/venv.sh "$$pg_config" --$$other >/dev/null || exit 1; done
invoked = $(or $(PWD),$(CURDIR))
from_caller = $(if $(filter /%,$1),,$(invoked)/)$1

help:
	@echo 'make demo [ADULT=file.csv]   the main job on real or generated data, from an empty machine'
	@echo 'make study ADULT=file.csv    a paper'"'"'s study: li2009, or STUDY=martin2007, guo2011, amiri2016,'
	@echo '                             or our own, again and attacks; figures go to a directory of that name [OUT=...]'
	@echo 'make study STUDY=riboni2012  one that draws its data [OUT=...]'
	@echo 'make compare ADULT=file.csv  other tools on the same tables; figures go to compare/ [OUT=...]'
	@echo 'make test [ARGS=...]         the tests; ARGS are handed to pytest; JOBS=n in n processes'
	@echo 'make test-all [ARGS=...]     those, and of studies, stories, packages; every property at length;'
	@echo '                             SHARE=2/7 runs a seventh of what make test leaves out'
	@echo 'make fuzz [TIME=600]         fresh examples of every property, for so many seconds [SEED=n] [ARGS=...]'
	@echo 'make lint                    ruff, mypy, import contracts, SQL and shell rules, pgspot'
	@echo 'make bench [RESULTS=file.md] benchmarks, each against its baseline; make bench-long: larger tables'
	@echo 'make up, make down           start and stop a private server; up prints its URI'
	@echo 'make install                 into an existing server [PG_CONFIG=...] [DESTDIR=...]'
	@echo 'make deb                     a Debian package of the extension, in .build [PG_CONFIG=...]'
	@echo 'make wheel                   the client by itself, in .build/wheel'
	@echo 'make docs                    the documents as a site with search, in .build/site'
	@echo 'make freeze                  keep the SQL of this version as it is built, for later ones'
	@echo 'make lock                    renew the locked Python dependencies'
	@echo 'make clean                   remove everything made here, the private server with its data'

up:
	@scripts/server.sh up

down:
	@scripts/server.sh down

demo:
	@$(client) && $(up_uri) && $(PYTHON) -m bkpriv_client demo --uri "$$uri" \
		$(if $(ADULT),--adult '$(call from_caller,$(ADULT))') $(ARGS)

study: STUDY := $(or $(STUDY),li2009)
study: SERVERLESS := attacks guo2011
study:
	@test -n '$(ADULT)' -o '$(STUDY)' = riboni2012 || \
		{ echo 'make study needs ADULT=file.csv' >&2; exit 2; }
	@$(client) && $(if $(filter $(SERVERLESS),$(STUDY)),,$(up_uri) &&) \
		$(PYTHON) -m studies $(STUDY) $(if $(filter $(SERVERLESS),$(STUDY)),,--uri "$$uri") \
		$(if $(ADULT),--adult '$(call from_caller,$(ADULT))') \
		--out '$(call from_caller,$(or $(OUT),$(STUDY)))' $(ARGS)

compare: OTHERS := compare
compare:
	@test -n '$(ADULT)' || { echo 'make compare needs ADULT=file.csv' >&2; exit 2; }
	@$(client) && $(others) && $(PYTHON) -m studies compare --adult '$(call from_caller,$(ADULT))' \
		--out '$(call from_caller,$(or $(OUT),compare))' $(ARGS)

spread = -n $(JOBS) --dist worksteal --max-worker-restart 0

# As many processes as cores, each of one thread and with a server of its own.
test-all: export BKPRIV_TESTS := all
test-all: export BKPRIV_SHARE := $(SHARE)
test-all: OTHERS := pycanon docs compare
test test-all: JOBS := $(or $(JOBS),$(shell nproc))
test test-all:
	@$(develop) && $(others) && OPENBLAS_NUM_THREADS=1 PYTHONHASHSEED=0 scripts/server.sh with $(JOBS) \
		$(PYTHON) -m pytest $(spread) --durations 10 $(ARGS)

fuzz: export BKPRIV_TESTS := fuzz
fuzz: OTHERS := pycanon docs compare
fuzz: JOBS := $(or $(JOBS),$(shell nproc))
fuzz:
	@$(develop) && $(others) && OPENBLAS_NUM_THREADS=1 scripts/server.sh with $(JOBS) \
		$(PYTHON) -m tests.fuzz $(if $(TIME),--time $(TIME)) $(if $(SEED),--seed $(SEED)) $(spread) $(ARGS)

bench-long: LONG := --small 45222 --large 1000000 --buckets 1000000 --values 30000 --residents 100000 --people 100000 \
	--records 2000000 --many-blocks 120000 --admissions 20000 --patients 5000 --weeks 24 \
	--crowd 200000 --months 12
bench bench-long:
	@$(client) && $(up_uri) && BKPRIV_BENCH_URI="$$uri" $(PYTHON) -m bench $(LONG) \
		$(if $(RESULTS),--results '$(call from_caller,$(RESULTS))') $(ARGS)

lint:
	@$(develop) && $(MAKE) -s --no-print-directory scripts "PG_CONFIG=$$pg_config" && \
		scripts/lint.sh $(SCRIPT) $(UPGRADES)

deb:
	@$(server) && scripts/deb.sh "$$pg_config"

wheel:
	@$(client) && scripts/wheel.sh

docs:
	@$(server) && scripts/docs.sh "$$pg_config"

lock:
	@$(server) && scripts/lock.sh "$$pg_config"

clean:
	@scripts/server.sh clean
	@rm -rf .build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -prune -exec rm -rf {} +

endif
