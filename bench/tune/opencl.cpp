// bench.tune.opencl : how much faster tuning makes a matrix product in OpenCL, and what a call costs.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.opencl [--size N] [--evaluations N] [--seed S] [--rounds R] [--peer PYTHON]
//                           [--dispatch-only]
//
// `opencl_gemm`: a product of N x N matrices (512) in CLBlast's parameters, 17,956 configurations:
// the default's time, the winner's, their ratio, and the seconds of the tuning. With --peer, a
// Python that has kernel_tuner and pyopencl tunes the same kernel text in the same space with as
// many evaluations; `opencl_peer` then has both winners and the default in turns in this program,
// and the seconds of both. `opencl_dispatch`: nanoseconds of the host for a call of a tuned kernel,
// for a bare clEnqueueNDRangeKernel, and the difference, in turns: medians of R rounds of 200
// calls. A wrong result makes a line an error, and the program ends with 1. Without a platform the
// one line `opencl skipped:` says why.
#include <attune/compile/opencl.hpp>

#include <attune/attune.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/driver.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../examples/kernels/opencl/gemm.hpp"
#include "../support/arguments.hpp"

namespace {

namespace cl = attune::detail::opencl;
namespace cuda = attune::detail::cuda;
using gemm = kernels::opencl::gemm;

std::string const kernel_file = [] {
    std::string const here = __FILE__;
    return here.substr(0, here.rfind("bench/tune/")) + "examples/kernels/opencl/gemm.kernel.cl";
}();

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double median(std::vector<double> of)
{
    auto const middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
}

struct problem {
    int size;
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> c;
    std::vector<float> right;

    problem(int rows, std::uint64_t seed)
        : size(rows)
        , a(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows))
        , b(a.size())
        , c(a.size())
        , right(a.size())
    {
        attune::random_engine random(seed);
        for (std::vector<float>* const matrix : {&a, &b})
            for (float& one : *matrix)
                one = static_cast<float>(attune::uniform_below(random, 11)) - 5;
        gemm::multiply(a, b, right, rows, rows, rows);
    }
    [[nodiscard]] bool is_right() const { return c == right; } // small integers: exact
};

/// "MWG=16 NWG=32" as macros.
std::vector<attune::macro_definition> macros_of(std::string const& configuration)
{
    std::vector<attune::macro_definition> out;
    std::size_t at = 0;
    while (at < configuration.size()) {
        std::size_t const end = std::min(configuration.find(' ', at), configuration.size());
        std::string const word = configuration.substr(at, end - at);
        if (std::size_t const is = word.find('='); is != word.npos)
            out.push_back({word.substr(0, is), word.substr(is + 1)});
        at = end + 1;
    }
    return out;
}

int value_of(std::vector<attune::macro_definition> const& in, std::string const& name)
{
    for (attune::macro_definition const& one : in)
        if (one.name == name) return std::atoi(one.value.c_str());
    throw std::runtime_error("a configuration has no " + name);
}

/// Times configurations in turns, by events, on buffers of the device.
std::vector<double> in_turns(attune::opencl_compiler const& compiler, problem const& p,
                             std::vector<std::string> const& configurations, std::size_t rounds)
{
    attune::cuda_target const& device = compiler.target().device;
    cuda::primary_context const context{device.driver, device.ordinal};
    cuda::context_scope const here{context};
    cuda::driver const& d = *device.driver;
    attune::opencl_array<float> a{compiler.target(), std::span<float const>{p.a}};
    attune::opencl_array<float> b{compiler.target(), std::span<float const>{p.b}};
    attune::opencl_array<float> c{compiler.target(), p.c.size()};
    std::vector<cuda::loaded_code> field;
    for (std::string const& one : configurations) {
        attune::compile_request v;
        v.function = "gemm";
        v.arguments = {"float*", "float*", "float*", "int", "int", "int"};
        v.macros = macros_of(one);
        v.launch.grid = {p.size / value_of(v.macros, "MWG"), p.size / value_of(v.macros, "NWG"), 1};
        v.launch.block = {value_of(v.macros, "MDIMC"), value_of(v.macros, "NDIMC"), 1};
        attune::compile_result const made = compiler.compile(attune::source_file(kernel_file), v);
        if (auto const* const why = std::get_if<attune::failure>(&made))
            throw std::runtime_error(why->reason);
        auto loaded = cuda::loaded_code::load(
            device.driver, attune::device_variant_of(std::get<attune::callable>(made)));
        if (auto const* const why = std::get_if<attune::failure>(&loaded))
            throw std::runtime_error(why->reason);
        field.push_back(std::get<cuda::loaded_code>(std::move(loaded)));
    }
    cuda::stream on = nullptr;
    cuda::event begin = nullptr;
    cuda::event end = nullptr;
    cuda::require_success(d, d.stream_create(&on, 0), "a queue");
    cuda::require_success(d, d.event_create(&begin, 0), "an event");
    cuda::require_success(d, d.event_create(&end, 0), "an event");
    void* pointers[] = {a.span().data(), b.span().data(), c.span().data()};
    int size = p.size;
    void* arguments[] = {&pointers[0], &pointers[1], &pointers[2], &size, &size, &size};
    std::vector<std::vector<double>> times(field.size());
    for (std::size_t round = 0; round <= rounds; ++round)
        for (std::size_t i = 0; i < field.size(); ++i) {
            cuda::require_success(d, d.event_record(begin, on), "an event");
            cuda::require_success(d, field[i].launch(arguments, on), "a launch");
            cuda::require_success(d, d.event_record(end, on), "an event");
            cuda::require_success(d, d.stream_synchronize(on), "a launch");
            float milliseconds = 0;
            cuda::require_success(d, d.event_elapsed_ms(&milliseconds, begin, end), "a time");
            if (round > 0) times[i].push_back(static_cast<double>(milliseconds));
            if (round == 0 && c.to_host() != p.right)
                throw std::runtime_error("a wrong result of " + configurations[i]);
        }
    d.event_destroy(begin);
    d.event_destroy(end);
    d.stream_destroy(on);
    std::vector<double> out;
    for (std::vector<double>& one : times)
        out.push_back(median(std::move(one)));
    return out;
}

/// The text after `name` up to the next blank, as a number.
double field_of(std::string const& line, std::string const& name)
{
    std::size_t const at = line.find(name);
    if (at == line.npos) throw std::runtime_error("Kernel Tuner gave no " + name + ": " + line);
    return std::strtod(line.c_str() + at + name.size(), nullptr);
}

/// An empty cache of PoCL for one side of a comparison.
class fresh_pocl_cache {
public:
    fresh_pocl_cache() { ::setenv("POCL_CACHE_DIR", folder_.path().c_str(), 1); }

private:
    attune::detail::temporary_folder folder_{};
};

void compare_with_peer(attune::opencl_compiler const& compiler, problem const& p,
                       attune::tuning_report const& ours, std::string const& python,
                       std::uint32_t evaluations, std::size_t seed, std::size_t rounds)
{
    fresh_pocl_cache const cache;
    std::string const here = __FILE__;
    attune::detail::process_result const ran = attune::detail::run_process(
        {python, here.substr(0, here.rfind('.')) + "_peer.py", kernel_file, std::to_string(p.size),
         std::to_string(evaluations), std::to_string(seed)},
        3600);
    std::size_t const at = ran.output.find("peer best_ms=");
    if (at == ran.output.npos) throw std::runtime_error("Kernel Tuner: " + ran.output);
    std::string const said = ran.output.substr(at);
    if (field_of(said, "evaluations=") != static_cast<double>(ours.evaluations))
        throw std::runtime_error("Kernel Tuner and attune had other numbers of evaluations: " +
                                 said);
    std::string best = said.substr(said.find('\n') + 1);
    best = best.substr(0, best.find('\n'));
    std::vector<double> const ms =
        in_turns(compiler, p, {ours.default_configuration, ours.configuration, best}, rounds);
    double const peer_s = field_of(said, "seconds=");
    std::printf("opencl_peer default_ms=%.3f attune_ms=%.3f kernel_tuner_ms=%.3f "
                "result_ratio=%.3f attune_s=%.1f kernel_tuner_s=%.1f wall_ratio=%.3f "
                "kernel_tuner_evaluations=%.0f kernel_tuner_configuration=\"%s\"\n",
                ms[0], ms[1], ms[2], ms[2] / ms[1], ours.elapsed_s, peer_s, ours.elapsed_s / peer_s,
                field_of(said, "evaluations="), best.c_str());
}

inline constexpr auto group = attune::ordinal<"GROUP">(attune::values(16, 32));
inline constexpr auto space = attune::space(group);

constexpr char const* text = R"(
#include <attune/tunable.hpp>
kernel void saxpy(global float const* x, global float* y, float a, int n)
{
    int const i = get_global_id(0);
    if (i < n) y[i] = ATTUNE_TUNABLE(GROUP, 16) * 0 + a * x[i] + y[i];
}
)";

void measure_dispatch(attune::opencl_compiler const& compiler, std::size_t rounds)
{
    constexpr int size = 4096;
    attune::kernel<void(attune::device_span<float const>, attune::device_span<float>, float, int)>
        kernel{"saxpy", attune::source_text(text, "saxpy.cl"), space};
    kernel.grid(size / group).block(group);
    std::vector<float> const ones(size, 1.0F);
    attune::opencl_array<float> const x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    attune::tuned saxpy{kernel, compiler,
                        attune::tuning_options{.progress = attune::silent_progress()}};
    auto const call = [&] { saxpy(x.span(), y.span(), 0.0F, size); };
    for (int i = 0; i < 100; ++i)
        call();

    cl::library const& of = *cl::library_in_use();
    auto* const queue = static_cast<cl::queue>(compiler.queue());
    auto* const context = static_cast<cl::context>(compiler.context());
    std::string const all = std::string("#define ATTUNE_TUNABLE(name, ...) 16\n") +
                            std::string(text).substr(std::string(text).find("kernel"));
    char const* begin = all.c_str();
    cl::result said = 0;
    cl::program const program = of.create_program_with_source(context, 1, &begin, nullptr, &said);
    cl::device const device = cl::devices_of(of)[0].at;
    if (said != 0 || of.build_program(program, 1, &device, "", nullptr, nullptr) != 0)
        throw std::runtime_error("the bare kernel does not build");
    cl::kernel const bare = of.create_kernel(program, "saxpy", &said);
    void* const buffers[] = {x.buffer(), y.buffer()};
    float const factor = 0;
    int const n = size;
    of.set_kernel_arg(bare, 0, sizeof(void*), &buffers[0]);
    of.set_kernel_arg(bare, 1, sizeof(void*), &buffers[1]);
    of.set_kernel_arg(bare, 2, sizeof factor, &factor);
    of.set_kernel_arg(bare, 3, sizeof n, &n);
    std::size_t const global = size;
    std::size_t const local = static_cast<std::size_t>(
        value_of(macros_of(saxpy.report().configuration), "GROUP")); // that of the tuned kernel
    auto const raw = [&] {
        if (of.enqueue_kernel(queue, bare, 1, nullptr, &global, &local, 0, nullptr, nullptr) != 0)
            throw std::runtime_error("the bare kernel is not enqueued");
    };
    constexpr int calls = 200;
    auto const nanoseconds = [&](auto const& once) {
        double const began = seconds_now();
        for (int i = 0; i < calls; ++i)
            once();
        double const took = seconds_now() - began;
        of.finish(queue);
        return took / calls * 1e9;
    };
    std::vector<double> tuned_ns;
    std::vector<double> raw_ns;
    std::vector<double> over_ns;
    for (std::size_t round = 0; round < 20 * rounds; ++round) {
        bool const is_first = round % 2 == 0;
        double const first = is_first ? nanoseconds(raw) : nanoseconds(call);
        double const second = is_first ? nanoseconds(call) : nanoseconds(raw);
        raw_ns.push_back(is_first ? first : second);
        tuned_ns.push_back(is_first ? second : first);
        over_ns.push_back(tuned_ns.back() - raw_ns.back());
    }
    std::printf("opencl_dispatch tuned_ns=%.0f raw_ns=%.0f over_ns=%.0f\n", median(tuned_ns),
                median(raw_ns), median(over_ns));
    of.release_kernel(bare);
    of.release_program(program);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        int size = 512;
        std::uint32_t evaluations = 40;
        std::size_t seed = 0;
        std::size_t rounds = 15;
        std::string peer;
        bool dispatch_only = false;
        bench::read_arguments(argc, argv,
                              {{"--size", &size, 128},
                               {"--evaluations", &evaluations, 1},
                               {"--seed", &seed},
                               {"--rounds", &rounds, 3},
                               {"--peer", &peer},
                               {"--dispatch-only", &dispatch_only}});
        if (size % 128 != 0) throw std::runtime_error("--size takes a multiple of 128");
        fresh_pocl_cache const cache; // before the first use of the platform
        attune::opencl_options opencl;
        opencl.cache.enabled = false;
        attune::opencl_compiler const compiler(opencl);
        if (std::string const why = compiler.missing(); !why.empty()) {
            std::printf("opencl skipped: %s\n", why.c_str());
            return 0;
        }
        std::printf("opencl_device \"%s\"\n", compiler.target().name().c_str());
        measure_dispatch(compiler, rounds);
        if (dispatch_only) return 0;
        problem p(size, seed);
        attune::tuning_options options{.limits = {.evaluations = evaluations, .seconds = 3000},
                                       .search = {.seed = seed},
                                       .progress = attune::silent_progress()};
        attune::tuned product{gemm::kernel(attune::source_file(kernel_file)), compiler,
                              attune::memory_store{}, options};
        product(p.a, p.b, p.c, size, size, size);
        attune::tuning_report const report = product.report();
        std::printf("opencl_gemm size=%d default_ms=%.3f best_ms=%.3f ratio=%.2f evaluations=%u "
                    "failures=%u seconds=%.1f compile_s=%.1f configuration=\"%s\"%s\n",
                    size, report.default_time.value * 1e3, report.best.value * 1e3, report.speedup,
                    report.evaluations, attune::total(report.failures), report.elapsed_s,
                    report.compile_s, report.configuration.c_str(),
                    p.is_right() ? "" : " error: a wrong result");
        std::printf("opencl_report %s\n", report.summary().c_str());
        for (std::string const& notice : report.notices)
            std::printf("opencl_notice %s\n", notice.c_str());
        for (attune::failure const& one : report.first_failures)
            std::printf("opencl_failure %s\n", one.reason.c_str());
        std::fflush(stdout);
        if (!peer.empty()) compare_with_peer(compiler, p, report, peer, evaluations, seed, rounds);
        return p.is_right() ? 0 : 1;
    });
}
