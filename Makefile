# Everything goes through run.py; these are the short forms.
.PHONY: run test check
run:
	python3 run.py
test:
	python3 run.py test
check:
	.ci/run
