// bench.tune.device_programs : of random configurations of programs for a GPU, how many no device could run.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.device_programs [PROGRAM...] [--configurations N] [--architecture A] [--seed
//   S]
//
// No device is used: NVRTC makes code for A (80 unless said), and what the code takes is compared
// with what a block may have there. The spaces are those for devices of A.
// Prints   device_program NAME
//            configurations=  of which tensor= use tensor cores
//            invalid=         share that does not compile, or that no launch of that size may have
//            spilling=        share whose registers are kept in memory in part
//            most_registers=  of a thread; most_shared_bytes= of a block
//            compile_ms=      median wall time of one
//          total: invalid= of all
#include <attune/compile/nest/write_device_program.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/code.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "program_layers.hpp"

namespace {

struct arguments {
    std::vector<std::string> programs{};
    std::uint32_t configurations = 20;
    int architecture = 80;
    std::uint64_t seed = 0;
};

struct named_program {
    std::string name;
    attune::nest_description nest;
};

/// The program with elements of another type where it has float, and sums in float.
attune::nest_description narrowed(attune::nest_description nest, attune::element_type to)
{
    for (attune::nest_array& array : nest.arrays)
        if (array.element == attune::element_type::f32) array.element = to;
    return nest;
}

/// Layers of bench.tune.programs, and the same of 16 bits.
std::vector<named_program> programs()
{
    using namespace bench::layers;
    std::vector<named_program> out;
    auto const add = [&]<class Layer>() {
        std::string const name(Layer::name);
        attune::nest_description const nest = Layer::program.describe();
        out.push_back({name, nest});
        out.push_back({name + "_f16", narrowed(nest, attune::element_type::f16)});
        out.push_back({name + "_bf16", narrowed(nest, attune::element_type::bf16)});
    };
    add.template operator()<matmul_1024>();
    add.template operator()<batched_matmul>();
    add.template operator()<conv_28>();
    add.template operator()<conv_bias_relu>();
    add.template operator()<ffn_gelu>();
    add.template operator()<depthwise>();
    add.template operator()<softmax>();
    return out;
}

struct counts {
    std::size_t configurations = 0, tensor = 0, invalid = 0, spilling = 0;
};

counts run(named_program const& program, attune::nvrtc_compiler const& compiler,
           arguments const& asked)
{
    attune::device_space const derived(program.nest, compiler.target().limits);
    attune::chain_of_trees const space(derived.describe());
    attune::launch_declaration launch;
    launch.grid[0] = derived.blocks();
    launch.block[0] = derived.threads();
    launch.shared_bytes = derived.shared_bytes();
    attune::random_engine draw(asked.seed);
    counts out;
    std::int64_t most_registers = 0;
    std::int64_t most_shared = 0;
    std::vector<double> seconds;
    std::string first;
    for (; out.configurations < asked.configurations; ++out.configurations) {
        attune::point const at = space.sample(draw);
        attune::device_program const scheduled = derived.schedule(at);
        attune::device_program_arguments const taken = attune::device_arguments_of(program.nest);
        attune::compile_request request;
        request.function = program.nest.name;
        request.arguments = taken.types;
        request.launch = attune::geometry_at(launch, derived.describe(), at);
        out.tensor += scheduled.uses_tensor_cores ? 1U : 0U;
        auto const made = compiler.compile(
            attune::source_text(attune::write_device_program(scheduled, taken), "program.cu"),
            request);
        std::string objection;
        if (auto const* const none = std::get_if<attune::failure>(&made)) {
            objection = none->reason;
        } else {
            auto const& code = std::get<attune::callable>(made);
            attune::device_variant const& what = attune::device_variant_of(code);
            attune::code_resources const& takes = what.code.resources;
            objection =
                attune::detail::launch_objection(compiler.target().limits, takes, what.launch);
            out.spilling += takes.spill_bytes > 0 ? 1U : 0U;
            most_registers = std::max<std::int64_t>(most_registers, takes.registers);
            most_shared = std::max<std::int64_t>(
                most_shared,
                takes.static_shared_bytes + static_cast<std::int64_t>(what.launch.shared_bytes));
            seconds.push_back(code.compile_s);
        }
        out.invalid += objection.empty() ? 0U : 1U;
        if (first.empty()) first = objection;
    }
    auto const share = [&](std::size_t n) {
        return static_cast<double>(n) / static_cast<double>(out.configurations);
    };
    std::printf("device_program %s configurations=%zu tensor=%.2f invalid=%.3f spilling=%.3f "
                "most_registers=%lld most_shared_bytes=%lld compile_ms=%.0f\n",
                program.name.c_str(), out.configurations, share(out.tensor), share(out.invalid),
                share(out.spilling), static_cast<long long>(most_registers),
                static_cast<long long>(most_shared),
                seconds.empty() ? 0.0 : bench::median(seconds) * 1e3);
    if (!first.empty()) std::printf("  invalid: %s\n", first.c_str());
    std::fflush(stdout);
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"PROGRAM", &asked.programs},
                               {"--configurations", &asked.configurations, 1},
                               {"--architecture", &asked.architecture, 1},
                               {"--seed", &asked.seed}});
        std::vector<named_program> const all = programs();
        std::vector<std::string> known;
        for (named_program const& one : all)
            known.push_back(one.name);
        for (std::string const& name : asked.programs)
            bench::require_known("PROGRAM", name, known);
        attune::nvrtc_options options;
        options.architecture = asked.architecture;
        options.driver = "no driver: nothing is run";
        options.cache.enabled = false;
        attune::nvrtc_compiler const compiler{options};
        counts total;
        for (named_program const& one : all) {
            bool const is_asked =
                asked.programs.empty() ||
                std::count(asked.programs.begin(), asked.programs.end(), one.name);
            if (!is_asked) continue;
            counts const here = run(one, compiler, asked);
            total.configurations += here.configurations;
            total.invalid += here.invalid;
        }
        std::printf("total configurations=%zu invalid=%.3f\n", total.configurations,
                    static_cast<double>(total.invalid) / static_cast<double>(total.configurations));
        return 0;
    });
}
