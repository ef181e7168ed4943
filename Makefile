# `make book` and `make test` do all the set-up. Everything real is in tools/project.py.

PYTHON ?= python3
PORT ?= 8000

.PHONY: help book test bench peers serve notebooks claims algorithm lock clean python

help:
	@echo "make book       set up, and build both books into build/site"
	@echo "make test       set up, build, and run everything that CI runs"
	@echo "make serve      show build/site on 127.0.0.1, port $(PORT) (PORT=... for another)"
	@echo "make bench      measure the speed anew, for the book's page about it"
	@echo "make peers      the same for other frameworks, which it installs into build/peers"
	@echo "make notebooks  run the notebooks and store their outputs, in both languages"
	@echo "make claims     the same, and write the numbers that the book states anew"
	@echo "make algorithm  begin one: make algorithm NAME=FedNew"
	@echo "make lock       resolve constraints.txt anew, and say what has changed"
	@echo "make clean      remove all that make has made: .venv, build, the notebooks' copies"
	@echo "PYTHON=python3.12 after any of them chooses a Python: 3.11, 3.12 or 3.13"

# -B: nothing is left in tools, where `make clean` would not look.
book test bench peers notebooks claims lock clean: python
	@"$(PYTHON)" -B tools/project.py $@

serve: python
	@"$(PYTHON)" -B tools/project.py serve "$(PORT)"

algorithm: python
	@"$(PYTHON)" -B tools/new_algorithm.py "$(NAME)"

# Asked before the tool is read, in words that every Python since 2 understands.
python:
	@"$(PYTHON)" -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))" \
	  2>/dev/null || { \
	  found=$$("$(PYTHON)" -c "import platform; print(platform.python_version())" 2>/dev/null); \
	  echo "This project needs Python 3.11, 3.12 or 3.13;" \
	    "'$(PYTHON)' is $${found:-not a Python that runs}." >&2; \
	  echo "Name another one, for example:  make book PYTHON=python3.12" >&2; \
	  exit 1; }
