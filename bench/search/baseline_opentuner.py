"""bench/search/baseline_opentuner.py - OpenTuner 0.8.8 made to run on a Python of today.
SPDX-License-Identifier: MIT

Patched: it writes no log file into the working directory, says nothing of duplicates, has its database in memory, and equal
seeds give equal requests: members of its populations are in sets, whose order was that of their addresses.
"""
import argparse
import itertools
import logging

import opentuner
from opentuner import tuningrunmain
from opentuner.api import TuningRunManager
from opentuner.measurement.interface import DefaultMeasurementInterface
from opentuner.resultsdb.models import Result
from opentuner.search import composableevolutionarytechniques, differentialevolution
from opentuner.search.manipulator import ConfigurationManipulator

tuningrunmain.init_logging = lambda: None
logging.disable(logging.CRITICAL)


born = itertools.count()


def number_members(of):
    """A member's hash is its number by birth."""
    begin = of.__init__

    def numbered(self, *arguments, **named):
        self.number = next(born)
        begin(self, *arguments, **named)

    of.__init__ = numbered
    of.__hash__ = lambda self: self.number


number_members(differentialevolution.PopulationMember)
number_members(composableevolutionarytechniques.PopulationMember)


def tune(parameters, judge):
    """OpenTuner's default technique, one request at a time, until `judge` raises.

    judge(configuration as a dictionary) -> the value, None for a failure
    """
    global born
    born = itertools.count()
    arguments = argparse.ArgumentParser(parents=opentuner.argparsers()).parse_args([])
    arguments.no_dups = True
    arguments.parallelism = 1  # the result of each request before the next one; its default is 4 at a time
    arguments.database = "sqlite://"
    manipulator = ConfigurationManipulator()
    for parameter in parameters:
        manipulator.add_parameter(parameter)
    interface = DefaultMeasurementInterface(args=arguments, manipulator=manipulator, project_name="baseline",
                                            program_name="baseline", program_version="1")
    manager = TuningRunManager(interface, arguments)
    nothing = 0  # requests in a row that bring nothing
    while nothing < 1000:
        wanted = manager.get_next_desired_result()
        if wanted is None:
            nothing += 1
            continue
        nothing = 0
        value = judge(wanted.configuration.data)
        manager.report_result(wanted, Result(time=value) if value is not None
                              else Result(state="ERROR", time=float("inf")))
