// tests/compile/nvrtc/cubin.cpp - what a compiled kernel takes on its device, read without one.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc/cubin.hpp>

#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/system/process.hpp>

#include <fstream>
#include <sstream>
#include <string>

#include "../../support/needs_nvrtc.hpp"

using attune::code_resources;
using attune::detail::cubin_key;
using attune::detail::resources_of_cubin;
using attune::detail::resources_of_kernel;
using attune::detail::resources_of_log;
using attune_test::has_nvrtc;

namespace {

char const* const kernels =
    "__constant__ float table[64];\n"
    "template <int N> __global__ void __launch_bounds__(64, 2) shared(float* p, int n, double d)\n"
    "{\n"
    "    __shared__ float s[N];\n"
    "    s[threadIdx.x % N] = p[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    p[0] = s[(threadIdx.x + 1) % N] * table[n % 64] + (float)d;\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(1024, 1) spilling(float* p, int n)\n"
    "{\n"
    "    float a[90];\n"
    "    for (int i = 0; i < 90; ++i) a[i] = p[i * 7 + threadIdx.x];\n"
    "    for (int k = 0; k < n; ++k)\n"
    "        for (int i = 0; i < 90; ++i) a[i] = a[i] * a[(i * 7 + 3) % 90] + a[(i + 9) % 90];\n"
    "    for (int i = 0; i < 90; ++i) p[i * 3 + threadIdx.x] = a[i];\n"
    "}\n"
    "__device__ __noinline__ float called(float const* p, int i)\n"
    "{\n"
    "    float a[16];\n"
    "    for (int k = 0; k < 16; ++k) a[k] = p[k * i];\n"
    "    return a[i % 16];\n"
    "}\n"
    "extern \"C\" __global__ void stacked(float* p, int n)\n"
    "{\n"
    "    float a[64];\n"
    "    for (int i = 0; i < n; ++i) a[i] = p[i];\n"
    "    p[0] = a[n - 2] + called(p, n);\n"
    "}\n"
    "extern \"C\" __global__ void empty() {}\n"
    "struct three { int a[3]; };\n"
    "extern \"C\" __global__ void many(char a, double b, short c, three d, float* e)\n"
    "{ e[0] = a + (float)b + c + d.a[2]; }\n";

struct compiled {
    std::string image;
    std::string log;
};

/// All kernels above with NVRTC itself, without what nvrtc_compiler makes of it.
compiled compile(int architecture, std::string const& text = kernels)
{
    auto const library = attune::detail::nvrtc::open_library();
    attune::detail::nvrtc::program made = nullptr;
    REQUIRE(library->create_program(&made, text.c_str(), "k.cu", 0, nullptr, nullptr) == 0);
    std::string const target = "--gpu-architecture=sm_" + std::to_string(architecture);
    char const* const flags[] = {target.c_str(), "--ptxas-options=-v"};
    if (text == kernels)
        for (char const* const name : {"shared<64>", "shared<100>"})
            REQUIRE(library->add_name_expression(made, name) == 0);
    REQUIRE(library->compile_program(made, 2, flags) == 0);
    compiled out;
    std::size_t bytes = 0;
    REQUIRE(library->get_program_log_size(made, &bytes) == 0);
    out.log.resize(bytes);
    REQUIRE(library->get_program_log(made, out.log.data()) == 0);
    REQUIRE(library->get_cubin_size(made, &bytes) == 0);
    out.image.resize(bytes);
    REQUIRE(library->get_cubin(made, out.image.data()) == 0);
    REQUIRE(library->destroy_program(&made) == 0);
    return out;
}

constexpr char const* names[] = {
    "_Z6sharedILi64EEvPfid", "_Z6sharedILi100EEvPfid", "spilling", "stacked", "empty", "many"};

/// Whatever both sources state is the same.
void check_agreement(compiled const& code, int architecture)
{
    for (char const* const name : names) {
        CAPTURE(name);
        auto const read = resources_of_cubin(code.image, name);
        auto const said = resources_of_log(code.log, name);
        REQUIRE(read.has_value());
        REQUIRE(said.has_value());
        CHECK(read->registers == said->registers);
        CHECK(read->registers > 0);
        CHECK(read->stack_bytes == said->stack_bytes);
        CHECK(read->static_shared_bytes == said->static_shared_bytes);
        // From sm_90 on ptxas does not print the constants.
        if (architecture < 90) CHECK(read->constant_bytes == said->constant_bytes);
        auto const both = resources_of_kernel(code.image, code.log, name);
        REQUIRE(both.has_value());
        CHECK(both->spill_bytes == said->spill_bytes);
        CHECK(both->most_threads == read->most_threads);
        CHECK(resources_of_kernel(code.image, "", name) == read);
    }
}

} // namespace

TEST_CASE("what the code states and what ptxas says are the same, on every architecture")
{
    for (int const architecture : {75, 80, 90, 100, 120}) {
        if (!has_nvrtc(architecture)) continue;
        CAPTURE(architecture);
        compiled const code = compile(architecture);
        check_agreement(code, architecture);
        auto const figures = [&](char const* name) {
            return resources_of_kernel(code.image, code.log, name).value_or(code_resources{});
        };
        // What the text itself says.
        CHECK(figures("_Z6sharedILi64EEvPfid").static_shared_bytes == 4 * 64);
        CHECK(figures("_Z6sharedILi100EEvPfid").static_shared_bytes == 4 * 100);
        CHECK(figures("_Z6sharedILi64EEvPfid").most_threads == 64);
        CHECK(figures("spilling").most_threads == 1024);
        CHECK(figures("spilling").registers <= 65536 / 1024);
        CHECK(figures("spilling").spill_bytes > 0);
        CHECK(figures("stacked").stack_bytes >= 4 * 64 + 4 * 16);
        CHECK(figures("stacked").most_threads == 0);
        CHECK(figures("empty").static_shared_bytes == 0);
        CHECK(figures("empty").spill_bytes == 0);
        CHECK(figures("empty").stack_bytes == 0);
        // Arguments take constant memory (0, 8, 16, 20, 32 and 8 more), and so does the table of
        // all kernels.
        CHECK(figures("many").constant_bytes - figures("empty").constant_bytes == 40);
        CHECK(figures("empty").constant_bytes >= 4 * 64);
    }
}

TEST_CASE("another compiler's CUBINs are read as its own ptxas says")
{
    std::string nvcc = attune::detail::find_program("nvcc");
    if (nvcc.empty()) {
        MESSAGE("skipped: nvcc is not in PATH");
        return;
    }
    attune::detail::temporary_folder const folder;
    std::string const source =
        folder.write("k.cu", std::string(kernels) +
                                 "template __global__ void shared<64>(float*, int, double);\n"
                                 "template __global__ void shared<100>(float*, int, double);\n");
    for (int const architecture : {75, 80, 90}) {
        CAPTURE(architecture);
        std::string const image = folder.path() + "/k.cubin";
        attune::detail::process_result const run =
            attune::detail::run_process({nvcc, "-cubin", "-arch=sm_" + std::to_string(architecture),
                                         "-Xptxas", "-v", "-o", image, source},
                                        120);
        if (!run.succeeded()) {
            MESSAGE("skipped: nvcc says " << run.output);
            return;
        }
        std::ostringstream bytes;
        bytes << std::ifstream(image, std::ios::binary).rdbuf();
        check_agreement({bytes.str(), run.output}, architecture);
    }
}

TEST_CASE("a key tells other code, and does not see a kernel's name")
{
    if (!has_nvrtc()) return;
    auto const key = [](std::string const& name, std::string const& body) {
        return cubin_key(
            compile(90, "extern \"C\" __global__ void " + name + "(float* x) {" + body + "}\n")
                .image,
            name);
    };
    std::string const plain = key("scale", "x[0] *= 2;");
    CHECK(plain == key("scale", "x[0] *= 2;"));
    CHECK(plain == key("another_name", "x[0] *= 2;"));
    CHECK(plain == key("scale", "x[0] += x[0];"));
    CHECK(plain != key("scale", "x[0] *= 3;"));
    CHECK(plain != key("scale", "x[0] *= 2; x[1] = 0;"));
    CHECK(key("f", "__shared__ char s[64]; s[1] = 2; x[0] = s[threadIdx.x];") !=
          key("f", "__shared__ char s[65]; s[1] = 2; x[0] = s[threadIdx.x];"));
}

TEST_CASE("what is no CUBIN, or a damaged one, gives nothing and does no harm")
{
    for (std::string const& bytes :
         {std::string(), std::string("no ELF"), std::string(100, '\0')}) {
        CHECK_FALSE(resources_of_cubin(bytes, "k").has_value());
        CHECK(cubin_key(bytes, "k").size() == 32);
    }
    std::ostringstream own;
    own << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
    CHECK_FALSE(resources_of_cubin(own.str(), "main").has_value()); // an ELF file, not NVIDIA's
    if (!has_nvrtc()) return;
    compiled const code = compile(90);
    CHECK_FALSE(resources_of_cubin(code.image, "absent").has_value());
    CHECK_FALSE(resources_of_cubin(code.image, "").has_value());
    for (std::size_t bytes = 0; bytes < code.image.size(); bytes += 97) {
        std::string const part = code.image.substr(0, bytes);
        (void)resources_of_cubin(part, "stacked");
        std::string changed = code.image;
        changed[bytes] = static_cast<char>(~changed[bytes]);
        (void)resources_of_cubin(changed, "stacked");
        CHECK(cubin_key(changed, "stacked").size() == 32);
    }
}

TEST_CASE("a log speaks of the kernel that is asked for, not of what it calls or of its neighbours")
{
    std::string const log =
        "ptxas info    : 0 bytes gmem, 256 bytes cmem[3]\n"
        "ptxas info    : Compiling entry function 'other' for 'sm_80'\n"
        "ptxas info    : Function properties for other\n"
        "    8 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads\n"
        "ptxas info    : Used 9 registers, used 0 barriers, 360 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
        "ptxas info    : Function properties for k\n"
        "ptxas         .     320 bytes stack frame, 600 bytes spill stores, 56 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 336 bytes cumulative stack size, 4096 "
        "bytes smem, 364 bytes cmem[0], 8 bytes cmem[2]\n"
        "ptxas info    : Function properties for _Z6calledPfi\n"
        "    16 bytes stack frame, 7 bytes spill stores, 7 bytes spill loads\n";
    CHECK(resources_of_log(log, "k") == code_resources{32, 656, 336, 4096, 256 + 364 + 8, 0});
    CHECK(resources_of_log(log, "other") == code_resources{9, 3, 8, 0, 256 + 360, 0});
    CHECK_FALSE(resources_of_log(log, "th").has_value());
    CHECK_FALSE(resources_of_log("", "k").has_value());
}
