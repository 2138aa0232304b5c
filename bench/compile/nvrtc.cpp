// bench.compile.nvrtc : what one variant for a device costs, in process and by a spawned nvcc.
// SPDX-License-Identifier: MIT
//
// Run      bench.compile.nvrtc [rounds [architecture]]
// Prints   a line for the opening of the library; then a line per kernel: milliseconds of processor
//          time per variant, from text to a CUBIN with its figures, as the mean over the variants
//          of the median over `rounds`. Processes that either side starts count; the two are
//          interleaved. Kernels: one line; a templated matrix product of 64 x 64 and more
//          (device_sgemm.kernel.cu); one that includes cuda_fp16.h and cuda/std/complex, with the
//          headers parsed once (first_ms: the variant that parses them) and every time. Then the
//          reading of registers and shared memory from code, and a variant that the cache has.
//          vs_nvcc is our time over that of nvcc; na where there is none, or no NVRTC. The last
//          line is the sum over the kernels, as they are compiled by default, over that of nvcc.
#include <attune/compile/nvrtc.hpp>

#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"

namespace {

struct subject {
    char const* name;
    attune::kernel_source kernel;
    std::vector<attune::compile_request> variants;
    char const* instance; ///< what nvcc needs to make code of a template
};

/// Processor seconds of this process and of those that it waited for.
double processor_seconds()
{
    double seconds = 0;
    for (int const who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        seconds += static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return seconds;
}

[[noreturn]] void fail(std::string const& why)
{
    std::fprintf(stderr, "bench.compile.nvrtc: %s\n", why.c_str());
    std::exit(1);
}

std::vector<subject> subjects()
{
    std::vector<subject> all;
    all.push_back({"trivial",
                   attune::source_text("extern \"C\" __global__ void scale(float* x, int n)\n"
                                       "{\n    int const i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                       "    if (i < n) x[i] *= 2;\n}\n",
                                       "scale.cu"),
                   {},
                   ""});
    for (char const* const block : {"64", "128", "256"}) {
        all.back().variants.push_back(attune::variant_of<void(float*, int)>("scale"));
        all.back().variants.back().macros = {{"BLOCK", block}};
    }

    all.push_back({"sgemm",
                   attune::source_file("device_sgemm.kernel.cu"),
                   {},
                   "template __global__ void sgemm<M, N, K, R, C>(float const*, float const*, "
                   "float*, int);\n"});
    constexpr char const* shapes[][5] = {
        {"64", "64", "16", "4", "4"}, {"64", "64", "8", "8", "4"}, {"64", "128", "16", "4", "8"}};
    for (auto const& shape : shapes) {
        all.back().variants.push_back(
            attune::variant_of<void(float const*, float const*, float*, int)>(
                "sgemm<M, N, K, R, C>"));
        all.back().variants.back().macros = {
            {"M", shape[0]}, {"N", shape[1]}, {"K", shape[2]}, {"R", shape[3]}, {"C", shape[4]}};
    }

    all.push_back({"headers",
                   attune::source_text(
                       "#include <cuda_fp16.h>\n#include <cuda/std/complex>\n"
                       "extern \"C\" __global__ void rotate(__half* x, float angle, int n)\n"
                       "{\n    int const i = blockIdx.x * BLOCK + threadIdx.x;\n"
                       "    cuda::std::complex<float> const z(angle, BLOCK);\n"
                       "    if (i < n) x[i] = __float2half(__half2float(x[i]) * (z * z).real());\n"
                       "}\n",
                       "rotate.cu"),
                   {},
                   ""});
    for (char const* const block : {"64", "128", "256"}) {
        // The kernel's own type, which no declaration of a program can name.
        all.back().variants.push_back({"rotate", "void", {"__half*", "float", "int"}, {}});
        all.back().variants.back().macros = {{"BLOCK", block}};
    }
    return all;
}

double in_process(attune::nvrtc_compiler const& compiler, attune::kernel_source const& kernel,
                  attune::compile_request const& v)
{
    double const begin = processor_seconds();
    attune::compile_result const made = compiler.compile(kernel, v);
    double const elapsed = processor_seconds() - begin;
    if (auto const* const failed = std::get_if<attune::failure>(&made))
        fail(failed->reason + "\n" + failed->log);
    return elapsed;
}

double spawned(std::string const& nvcc, int architecture, subject const& what,
               attune::compile_request const& v, attune::detail::temporary_folder const& folder)
{
    std::vector<std::string> arguments{nvcc,
                                       "-cubin",
                                       "-arch=sm_" + std::to_string(architecture),
                                       "--std=c++20",
                                       "-o",
                                       folder.path() + "/variant.cubin",
                                       folder.write("k.cu", what.kernel.text + what.instance)};
    for (std::string const& flag : attune::macro_flags(v))
        arguments.push_back(flag);
    double const begin = processor_seconds();
    attune::detail::process_result const run = attune::detail::run_process(arguments, 120);
    double const elapsed = processor_seconds() - begin;
    if (!run.succeeded()) fail(run.output);
    return elapsed;
}

std::string ratio(double ours, double theirs)
{
    char text[32] = "na";
    if (theirs > 0) std::snprintf(text, sizeof text, "%.3f", ours / theirs);
    return text;
}

std::string milliseconds(double seconds)
{
    char text[32] = "na";
    if (seconds > 0) std::snprintf(text, sizeof text, "%.1f", seconds * 1e3);
    return text;
}

attune::nvrtc_options without_device(int architecture)
{
    attune::nvrtc_options options;
    options.architecture = architecture;
    options.driver = "no driver: nothing is launched";
    options.cache.enabled = false;
    return options;
}

struct cost {
    double ours = 0;
    double theirs = 0; ///< 0 without nvcc
};

cost run(subject const& what, char const* headers, bool once, int architecture,
         std::string const& nvcc, int rounds)
{
    attune::nvrtc_options options = without_device(architecture);
    options.precompile_headers = once;
    attune::nvrtc_compiler const compiler(options);
    attune::detail::temporary_folder const folder;
    (void)compiler.identity();
    double const first = in_process(compiler, what.kernel, what.variants.front());
    double ours = 0;
    double theirs = 0;
    for (attune::compile_request const& v : what.variants) {
        std::vector<double> seconds[2];
        for (int round = 0; round < rounds; ++round) {
            seconds[0].push_back(in_process(compiler, what.kernel, v));
            if (!nvcc.empty()) seconds[1].push_back(spawned(nvcc, architecture, what, v, folder));
        }
        ours += bench::median(seconds[0]) / static_cast<double>(what.variants.size());
        if (!nvcc.empty())
            theirs += bench::median(seconds[1]) / static_cast<double>(what.variants.size());
    }
    attune::header_statistics const parsed = compiler.headers();
    std::printf("nvrtc kernel=%s headers=%s ms=%s nvcc_ms=%s vs_nvcc=%s first_ms=%s parsed=%d "
                "reused=%d\n",
                what.name, headers, milliseconds(ours).c_str(), milliseconds(theirs).c_str(),
                ratio(ours, theirs).c_str(), milliseconds(first).c_str(),
                static_cast<int>(parsed.created), static_cast<int>(parsed.reused));
    std::fflush(stdout);
    return {ours, theirs};
}

void run_known(subject const& what, int architecture)
{
    attune::detail::temporary_folder const folder;
    attune::nvrtc_options options = without_device(architecture);
    options.cache.enabled = true;
    options.cache.folder = folder.path() + "/cache";
    attune::nvrtc_compiler const compiler(options);
    std::vector<double> read;
    std::vector<double> cached;
    for (attune::compile_request const& v : what.variants) {
        auto const made = std::get<attune::callable>(compiler.compile(what.kernel, v));
        attune::device_code const& code = attune::device_variant_of(made).code;
        std::string const log = "ptxas info    : Compiling entry function '" + code.entry +
                                "' for 'sm_90'\nptxas info    : Used 1 registers\n";
        for (int i = 0; i < 101; ++i) {
            double begin = bench::thread_seconds();
            if (attune::detail::resources_of_kernel(code.image, log, code.entry) == std::nullopt)
                fail("the code has no figures");
            read.push_back(bench::thread_seconds() - begin);
            begin = bench::thread_seconds();
            auto const again = std::get<attune::callable>(compiler.compile(what.kernel, v));
            cached.push_back(bench::thread_seconds() - begin);
            if (!again.from_cache) fail("the cache has lost a variant");
        }
    }
    std::printf("nvrtc_known kernel=%s resources_ms=%.4f cached_ms=%.4f\n", what.name,
                bench::median(read) * 1e3, bench::median(cached) * 1e3);
}

std::string path_of_nvcc()
{
    std::string const found = attune::detail::find_program("nvcc");
    std::error_code no_throw;
    for (char const* const name : {"CUDA_PATH", "CUDA_HOME"})
        if (char const* const toolkit = std::getenv(name); toolkit != nullptr && found.empty())
            if (std::string path = std::string(toolkit) + "/bin/nvcc";
                std::filesystem::exists(path, no_throw))
                return path;
    return found;
}

void run_all(int rounds, int architecture)
{
    double const begin = processor_seconds();
    attune::nvrtc_compiler const compiler(without_device(architecture));
    std::string const identity = compiler.identity();
    std::printf("nvrtc_library identity=\"%s\" first_use_ms=%.1f\n", identity.c_str(),
                (processor_seconds() - begin) * 1e3);
    std::string const nvcc = path_of_nvcc();
    cost total;
    bool const has_headers = !attune::detail::nvrtc::open_library()->include_dirs.empty();
    for (subject const& what : subjects()) {
        bool const includes = what.kernel.text.starts_with("#include");
        if (includes && !has_headers) {
            std::printf("nvrtc kernel=%s skipped: the library lies in no toolkit\n", what.name);
            continue;
        }
        cost const one = run(what, includes ? "once" : "none", true, architecture, nvcc, rounds);
        total.ours += one.ours;
        total.theirs += one.theirs;
        if (includes) (void)run(what, "every_time", false, architecture, nvcc, rounds);
        run_known(what, architecture);
    }
    std::printf("total vs_nvcc=%s\n", ratio(total.ours, total.theirs).c_str());
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        int rounds = 3;
        int architecture = 90;
        bench::read_arguments(argc, argv,
                              {{"rounds", &rounds, 1}, {"architecture", &architecture, 1}});
        try {
            run_all(rounds, architecture);
        } catch (attune::error const& thrown) {
            std::printf("nvrtc skipped: %s\ntotal vs_nvcc=na\n", thrown.what());
        }
        return 0;
    });
}
