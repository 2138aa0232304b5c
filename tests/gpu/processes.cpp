// tests/gpu/processes.cpp - what is compiled once for all variants and processes.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/tune/tuned.hpp>

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>

#include "../support/gpu_saxpy.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

using namespace attune_test;

namespace {

constexpr char const* store_variable = "ATTUNE_TEST_GPU_STORE"; ///< empty: none

/// What a process of its own says when it has made one call; see the first case.
std::string output_of_a_run(std::string const& cache, std::string const& store)
{
    set_variable const where{"ATTUNE_CACHE", cache};
    set_variable const kept{store_variable, store};
    std::string const program = std::filesystem::read_symlink("/proc/self/exe").string();
    attune::detail::process_result const end =
        attune::detail::run_process({program, "--no-skip=true", "--source-file=*gpu/processes.cpp",
                                     "--test-case=one call in a process of its own"},
                                    60);
    CHECK(end.succeeded());
    std::string said = end.output;
    // By these words ctest would take this whole file for skipped.
    if (std::size_t const at = said.find("skipped: no GPU"); at != std::string::npos)
        said.replace(at, 7, "no call");
    return said;
}

} // namespace

TEST_CASE("one call in a process of its own" * doctest::skip())
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::nvrtc_options compiling = gpu_compiling();
    compiling.cache = {}; // as $ATTUNE_CACHE says
    char const* const store = std::getenv(store_variable);
    REQUIRE(store != nullptr);
    saxpy_data const data(gpu_elements);
    saxpy_arrays there{data};
    auto const run = [&](auto records) {
        attune::tuned saxpy{saxpy_kernel<on_device, plain, quick>(),
                            attune::nvrtc_compiler{compiling}, std::move(records), gpu_options()};
        saxpy(there.x.span(), there.y.span(), 2.0F, data.n());
        CHECK(there.called_times(1, 2.0F));
        attune::tuning_report const report = saxpy.report();
        std::printf("run: compiled=%u from_cache=%u remembered=%d configuration=%s\n",
                    report.compiled, report.from_cache,
                    report.how == attune::decision::remembered ? 1 : 0,
                    report.configuration.c_str());
    };
    if (*store == '\0')
        run(attune::memory_store{});
    else
        run(attune::store{store});
}

TEST_CASE("a second process compiles nothing: code comes from the cache, the choice from the store")
{
    gpu const* const g = gpu_here(240);
    if (g == nullptr) return;
    attune::detail::temporary_folder const folder;
    std::string const cache = folder.path() + "/cache";
    std::string const store = folder.path() + "/saxpy.attune";
    struct row {
        std::string cache, store;
        char const* says;
    };
    for (row const& one :
         {row{cache, "", "run: compiled=4 from_cache=0 remembered=0"},
          row{cache, "", "run: compiled=0 from_cache=4 remembered=0"},
          row{cache, store, "run: compiled=0 from_cache=4 remembered=0"},
          row{cache, store, "run: compiled=0 from_cache=0 remembered=1 configuration=KIND=1 "},
          // without the code it is compiled, and not tuned
          row{"off", store, "remembered=1"}}) {
        std::string const said = output_of_a_run(one.cache, one.store);
        INFO(said);
        CHECK_MESSAGE(has(said, one.says), one.says);
    }
}

TEST_CASE("the headers of a kernel are parsed once for all its variants")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    if (!nvrtc_here().first || !nvrtc_here().first->has_precompiled_headers()) {
        MESSAGE("not looked at: this NVRTC has no precompiled headers");
        return;
    }
    if (nvrtc_here().first->include_dirs.empty()) {
        MESSAGE("not looked at: there are no headers of a toolkit beside NVRTC");
        return;
    }
    attune::nvrtc_compiler const compiler{gpu_compiling()};
    saxpy_data const data(gpu_elements);
    saxpy_arrays there{data};
    attune::tuned saxpy{saxpy_kernel<on_device, plain, quick>(
                            std::string("#include <cuda_fp16.h>\n") + gpu_saxpy_text),
                        compiler, attune::memory_store{}, gpu_options()};
    saxpy(there.x.span(), there.y.span(), 2.0F, data.n());
    INFO(all_of(saxpy.report()));
    CHECK(there.called_times(1, 2.0F));
    CHECK(saxpy.report().compiled == 4);
    attune::header_statistics const parsed = compiler.headers();
    INFO("created " << parsed.created << ", reused " << parsed.reused << ", failed "
                    << parsed.failed);
    CHECK(parsed.created == 1);
    CHECK(parsed.reused == 3);
    CHECK(parsed.failed == 0);
}
