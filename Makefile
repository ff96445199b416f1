.PHONY: help demo test bench lint format matrix clean

help: ## this text
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## installs what is missing, builds, and shows what opwright does
	@scripts/demo.sh

test: ## everything, sanitizers included, on the oldest and the newest TensorFlow
	@scripts/test.sh test

matrix: ## a table of what works on every TensorFlow from 2.15 to 2.21, by tests and checks on each
	@scripts/test.sh matrix

bench: ## measures, with the release build
	@scripts/bench.sh

lint: ## layout and style of C++ and Python
	@scripts/lint.sh check

format: ## mends what lint finds, where a program can
	@scripts/lint.sh mend

clean: ## removes what was built; the environments .venv* stay
	rm -rf build opwright/bin opwright/lib
