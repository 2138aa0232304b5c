"""bench/search/baseline_tools.py - each tool as a function (evaluations, seed) that asks until it is stopped.
SPDX-License-Identifier: MIT

Tools that know constraints get those of the recording. Others are told of a configuration that breaks one as of a failure.
"""
import contextlib
import io
import json
import math
import os
import random
import re
import tempfile
import warnings

warnings.filterwarnings("ignore")


def uniform():
    def run(ask, seed):
        rng = random.Random(seed)
        while True:
            ask(ask.draw_unseen(rng))
    return run


# Kernel Tuner: simulation mode, with a cache file of the recording; the cache of a live space is filled when it is read

def kernel_tuner_entry(space, at, ms, failed):
    return dict(zip(space.names, at), time=failed if ms is None else ms, compile_time=0, verification_time=0,
                benchmark_time=0)


def kernel_tuner_cache(space, folder):
    path = os.path.join(folder, space.name + ".json")
    if not os.path.exists(path):
        cache = {}
        for at, ms in {} if space.is_live else space.time_ms.items():
            cache[",".join(str(value) for value in at)] = kernel_tuner_entry(space, at, ms, "RuntimeFailedConfig")
        with open(path, "w") as file:
            json.dump({"device_name": "recorded", "kernel_name": "kernel", "problem_size": [1, 1, 1],
                       "tune_params_keys": space.names, "tune_params": space.values, "objective": "time",
                       "cache": cache}, file, indent=0)  # its reader takes an empty cache on one line for an open one
    return path


@contextlib.contextmanager
def kernel_tuner_reads(ask):
    """Kernel Tuner's simulation asks for each configuration that its cache does not have."""
    from kernel_tuner.runners.simulation import SimulationRunner
    from kernel_tuner.util import RuntimeFailedConfig

    simulated = SimulationRunner.run

    def measured(self, parameter_space, tuning_options):
        elements = list(parameter_space)
        for element in elements:
            key = ",".join(str(value) for value in element)
            if key not in tuning_options.cache:
                entry = kernel_tuner_entry(ask.space, element, ask(tuple(element)), RuntimeFailedConfig())
                if not isinstance(entry["time"], float):
                    entry["__error__"] = entry["time"]
                tuning_options.cache[key] = entry
        return simulated(self, elements, tuning_options)

    SimulationRunner.run = measured
    try:
        yield
    finally:
        SimulationRunner.run = simulated


def kernel_tuner(strategy, **options):
    import kernel_tuner
    import numpy

    folder = tempfile.TemporaryDirectory()  # until the tool is forgotten

    def run(ask, seed):
        space = ask.space
        path = kernel_tuner_cache(space, folder.name)
        random.seed(seed)
        numpy.random.seed(seed)
        reads = kernel_tuner_reads(ask) if space.is_live else contextlib.nullcontext()
        with contextlib.redirect_stdout(io.StringIO()), reads:
            results, _ = kernel_tuner.tune_kernel(
                "kernel", "void kernel() {}", (1, 1, 1), [], dict(space.values), lang="C",
                restrictions=list(space.constraints), strategy=strategy, cache=path, simulation_mode=True,
                quiet=True, verbose=False, seed=seed, strategy_options={"max_fevals": ask.budget, **options})
        for result in results:
            if result is not None:
                ask(tuple(result[name] for name in space.names))
    run.keeps = folder
    return run


# pyATF: its own chain of trees

def pyatf_space(space):
    from pyatf import TP, Set
    from pyatf.search_space import SearchSpace

    parameters = []
    declared = []
    for name in space.names:
        declared.append(name)
        now = []
        for text in space.constraints:
            used = [other for other in space.names if re.search(rf"\b{other}\b", text)]
            if used and max(used, key=space.names.index) == name:
                now.append(text)
        constraint = None
        if now:
            together = " and ".join(f"({text})" for text in now)
            used = [other for other in declared if re.search(rf"\b{other}\b", together)]
            constraint = eval(f"lambda {', '.join(used)}: {together}")  # of a recording: as trusted as the tuner's own text
        parameters.append(TP(name, Set(*space.values[name]), constraint))
    return SearchSpace(*parameters, verbosity=0)


def pyatf(technique):
    from pyatf import Tuner
    from pyatf.tuning_data import CostFunctionError

    spaces = {}

    def run(ask, seed):
        space = ask.space
        random.seed(seed)
        if space.name not in spaces:
            spaces[space.name] = pyatf_space(space)

        def cost(configuration):
            ms = ask(tuple(configuration[name] for name in space.names))
            if ms is None:
                raise CostFunctionError("failed")
            return ms

        tuner = Tuner().search_space(spaces[space.name]).search_technique(technique()).verbosity(0)
        while True:
            tuner.make_step(cost)
    return run


def pyatf_bandit():
    from pyatf.search_techniques import AUCBandit, PatternSearch, SimulatedAnnealing, Torczon

    return pyatf(lambda: AUCBandit((SimulatedAnnealing(), PatternSearch(), Torczon())))


def pyatf_opentuner():
    import baseline_opentuner  # its patches
    from pyatf.search_techniques.opentuner import OpenTuner

    del baseline_opentuner

    def one_at_a_time():
        technique = OpenTuner("sqlite://")
        technique._args.parallelism = 1
        return technique

    return pyatf(one_at_a_time)


# OpenTuner without constraints: numbers by their places

def opentuner():
    from baseline_opentuner import tune
    from opentuner.search.manipulator import EnumParameter, IntegerParameter

    def run(ask, seed):
        space = ask.space
        random.seed(seed)
        parameters = []
        for d in space.varying:
            count = space.size(d)
            parameters.append(IntegerParameter(space.names[d], 0, count - 1) if space.is_number(d)
                              else EnumParameter(space.names[d], list(range(count))))
        tune(parameters, lambda c: ask(space.of_indices([c[space.names[d]] for d in space.varying])))
    return run


# scikit-optimize: its Optimizer, whose random candidates are drawn among the valid configurations

def skopt(estimator, **options):
    from skopt import Optimizer
    from skopt.space import Categorical, Integer

    def run(ask, seed):
        space = ask.space
        dimensions = [Integer(0, space.size(d) - 1) if space.is_number(d) else Categorical(range(space.size(d)))
                      for d in space.varying]
        optimizer = Optimizer(dimensions, estimator, n_initial_points=10, initial_point_generator="random",
                              acq_optimizer="sampling", random_state=seed, **options)
        rng = random.Random(seed)
        valid = [space.indices_of(at) for at in space.all]
        count = min(len(valid), 2000)  # of candidates in a step; its default, 10,000, takes five times as long
        optimizer.space.rvs = lambda n_samples=1, random_state=None: (
            [list(i) for i in rng.sample(valid, min(n_samples, count))])
        while True:
            indices = [int(i) for i in optimizer.ask()]
            at = space.of_indices(indices)
            if at in ask.known:
                at = ask.draw_unseen(rng)
            ms = ask(at)
            optimizer.tell(space.indices_of(at), ask.penalty_ms() if ms is None else ms)
    return run


# bayesian-optimization: integers, no constraints

def bayes_opt():
    from bayes_opt import BayesianOptimization

    def run(ask, seed):
        space = ask.space
        bounds = {f"p{k:02}": (0, space.size(d) - 1, int) for k, d in enumerate(space.varying)}
        optimizer = BayesianOptimization(f=None, pbounds=bounds, random_state=seed, verbose=0,
                                         allow_duplicate_points=True)
        rng = random.Random(seed)
        for n in range(ask.budget * 20):
            if n < 10:
                at = ask.draw_unseen(rng)
                point = {f"p{k:02}": i for k, i in enumerate(space.indices_of(at))}
            else:
                point = optimizer.suggest()
                at = space.of_indices([round(point[f"p{k:02}"]) for k in range(len(space.varying))])
                if at in ask.known:
                    at = ask.draw_unseen(rng)
                    point = {f"p{k:02}": i for k, i in enumerate(space.indices_of(at))}
            ms = ask(at)
            worst = max((known for known in ask.known.values() if known is not None), default=1e3)
            optimizer.register(point, -worst if ms is None else -ms)
    return run


# SMAC: its facade for hyperparameters (a random forest), without constraints

def smac():
    import ConfigSpace
    from smac import HyperparameterOptimizationFacade, Scenario
    from smac.runhistory.dataclasses import TrialValue

    def run(ask, seed):
        space = ask.space
        choices = ConfigSpace.ConfigurationSpace(seed=seed)
        for d in space.varying:
            choices.add(ConfigSpace.Integer(space.names[d], (0, space.size(d) - 1)) if space.is_number(d) else
                        ConfigSpace.Categorical(space.names[d], list(range(space.size(d)))))
        with tempfile.TemporaryDirectory() as folder:
            scenario = Scenario(choices, output_directory=folder, deterministic=True, n_trials=10**6, seed=seed)
            facade = HyperparameterOptimizationFacade(scenario, lambda configuration, seed=0: 0.0, overwrite=True,
                                                      logging_level=False)
            while True:
                trial = facade.ask()
                ms = ask(space.of_indices([trial.config[space.names[d]] for d in space.varying]))
                facade.tell(trial, TrialValue(cost=ask.penalty_ms() if ms is None else ms))
    return run


# BoTorch: a Gaussian process and the logarithm of expected improvement, over all valid configurations

def botorch():
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)

    def run(ask, seed):
        space = ask.space
        torch.manual_seed(seed)
        rng = random.Random(seed)
        sizes = [max(1, space.size(d) - 1) for d in space.varying]
        place = {at: [i / size for i, size in zip(space.indices_of(at), sizes)] for at in space.all}
        for _ in range(10):
            ask(ask.draw_unseen(rng))
        while True:
            worked = [(at, ms) for at, ms in ask.known.items() if ms is not None]
            if len(worked) < 3:
                ask(ask.draw_unseen(rng))
                continue
            x = torch.tensor([place[at] for at, _ in worked], dtype=torch.double)
            y = torch.tensor([[-math.log(ms)] for _, ms in worked], dtype=torch.double)
            model = SingleTaskGP(x, y, outcome_transform=Standardize(m=1))
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            unseen = [at for at in space.all if at not in ask.known]
            candidates = torch.tensor([place[at] for at in unseen], dtype=torch.double)
            with torch.no_grad():
                scores = torch.cat([LogExpectedImprovement(model, best_f=y.max())(part.unsqueeze(1))
                                    for part in candidates.split(2000)])
            ask(unseen[int(scores.argmax())])
    return run


TOOLS = {
    "uniform": (uniform, "random configurations without replacement: checks the account"),
    "kt_random": (lambda: kernel_tuner("random_sample"), "Kernel Tuner, random_sample"),
    "kt_genetic_algorithm": (lambda: kernel_tuner("genetic_algorithm"), "Kernel Tuner, genetic_algorithm"),
    "kt_simulated_annealing": (lambda: kernel_tuner("simulated_annealing"), "Kernel Tuner, simulated_annealing"),
    "kt_mls": (lambda: kernel_tuner("mls"), "Kernel Tuner, mls"),
    "kt_diff_evo": (lambda: kernel_tuner("diff_evo"), "Kernel Tuner, diff_evo"),
    "kt_pso": (lambda: kernel_tuner("pso"), "Kernel Tuner, pso"),
    "kt_firefly": (lambda: kernel_tuner("firefly_algorithm"), "Kernel Tuner, firefly_algorithm"),
    "kt_hybrid_vndx": (lambda: kernel_tuner("hybrid_vndx"), "Kernel Tuner, hybrid_vndx"),
    "kt_adaptive_tabu_greywolf": (lambda: kernel_tuner("adaptive_tabu_greywolf"),
                                  "Kernel Tuner, adaptive_tabu_greywolf"),
    "kt_bayes_opt": (lambda: kernel_tuner("bayes_opt"), "Kernel Tuner, bayes_opt as shipped"),
    "kt_bayes_opt_multi_advanced": (lambda: kernel_tuner("bayes_opt", method="multi-advanced"),
                                    "Kernel Tuner, bayes_opt as published"),
    "pyatf": (pyatf_bandit, "pyATF, its AUC bandit"),
    "pyatf_opentuner": (pyatf_opentuner, "pyATF's space with OpenTuner's default technique"),
    "opentuner": (opentuner, "OpenTuner, its default technique, without constraints"),
    "ytopt": (lambda: skopt("RF", acq_func="LCB", acq_func_kwargs={"kappa": 1.96}),
              "Ytopt's rule: a random forest of scikit-optimize, lower confidence bound, failures as high values"),
    "smac": (smac, "SMAC, its facade for hyperparameters, without constraints, failures as high values"),
    "skopt_gp": (lambda: skopt("GP"), "scikit-optimize, Gaussian process, gp_hedge, failures as high values"),
    "bayes_opt": (bayes_opt, "bayesian-optimization, upper confidence bound, failures as the worst value"),
    "botorch": (botorch, "BoTorch, Gaussian process of log time, expected improvement over all configurations"),
}


def make_tool(name):
    """Errors: ImportError, which names the package that is missing."""
    return TOOLS[name][0]()
