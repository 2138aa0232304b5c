// tests/compile/opencl.cpp : mirrors include/attune/compile/opencl.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/compile/opencl.hpp>

#include <attune/compile/source/signature.hpp>
#include <attune/core/error.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/needs_opencl.hpp"
#include "../support/texts.hpp"

using attune::failure;
using attune::failure_stage;
using attune_test::has;
using attune_test::opencl_callable;
using attune_test::opencl_failure;
using attune_test::opencl_here;
using attune_test::opencl_request;
using attune_test::opencl_source;

static_assert(attune::device_compiler<attune::opencl_compiler>);

namespace {

std::vector<std::string> const sum_arguments{"std::span<float const>", "std::span<float>", "int"};

attune::compile_request sum_request(std::string factor = "2")
{
    return opencl_request("scaled_sum", sum_arguments, {{"FACTOR", std::move(factor)}});
}

/// The laws cannot call a kernel here; they see FACTOR by the local memory that it takes.
struct opencl_subject {
    static attune::kernel_source source()
    {
        return opencl_source(
            "kernel void scaled_sum(global double* x, int n)\n"
            "{\n"
            "    local double pool[FACTOR + 1];\n" // PoCL drops one with a single element
            "    pool[(n * 7) % (FACTOR + 1)] = x[n];\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "    x[0] = pool[n % (FACTOR + 1)];\n"
            "}\n",
            "scaled_sum.kernel.cpp");
    }
    static attune::compile_request variant(std::string factor)
    {
        attune::compile_request v = attune::variant_of<void(double*, int)>("scaled_sum");
        v.macros = {{"FACTOR", std::move(factor)}};
        return v;
    }
    static double observed(attune::callable const& code)
    {
        auto const bytes = attune::device_variant_of(code).code.resources.static_shared_bytes;
        return (static_cast<double>(bytes) / sizeof(double) - 1) * 6;
    }
};

} // namespace

TEST_CASE("it keeps the laws of a compiler, with and without its cache")
{
    if (!attune_test::has_opencl()) return;
    attune_laws::compiler_laws<opencl_subject>([] { return opencl_here(); });
    attune_test::cache_folder const folder;
    attune_laws::compiler_laws<opencl_subject>([&] {
        attune::opencl_options options;
        options.cache = folder.options();
        return attune::opencl_compiler(options);
    });
}

TEST_CASE(
    "a kernel becomes an image with its arguments, and the resources that the platform states")
{
    if (!attune_test::has_opencl()) return;
    attune::callable const code = opencl_callable(
        opencl_here().compile(opencl_source(attune_test::scaled_sum_text), sum_request()));
    attune::device_variant const& made = attune::device_variant_of(code);
    CHECK(made.code.entry == "scaled_sum");
    CHECK(made.code.resources.most_threads >= 1);
    auto const image = attune::detail::opencl::image_at(made.code.image.c_str());
    REQUIRE(image);
    using kind = attune::detail::opencl::argument_kind;
    REQUIRE(image->arguments.size() == 3);
    CHECK(image->arguments[0].kind == kind::array);
    CHECK(image->arguments[2].kind == kind::value);
    CHECK(image->arguments[2].bytes == 4);
    CHECK(!image->binary.empty());
    CHECK(code.compile_s > 0);
}

TEST_CASE("local and private memory are facts of the code")
{
    if (!attune_test::has_opencl()) return;
    char const* const text = R"cl(
kernel void f(global float* x)
{
    local float tile[256];
    tile[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = tile[255 - get_local_id(0)];
}
)cl";
    attune::callable const code = opencl_callable(
        opencl_here().compile(opencl_source(text), opencl_request("f", {"float*"})));
    CHECK(attune::device_variant_of(code).code.resources.static_shared_bytes == 1024);
}

TEST_CASE("the identity names platform, device, driver and flags")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_options options;
    options.flags = {"-cl-fast-relaxed-math"};
    attune::opencl_compiler const compiler = opencl_here(options);
    std::string const said = compiler.identity();
    CHECK(said.starts_with("opencl OpenCL "));
    CHECK(has(said, compiler.target().device.limits.name));
    CHECK(has(said, "driver " + compiler.target().driver_version));
    CHECK(said.ends_with(" -cl-fast-relaxed-math"));
}

TEST_CASE("an error of the text is a failure with the line in the kernel file, and the whole log")
{
    if (!attune_test::has_opencl()) return;
    failure const why = opencl_failure(opencl_here().compile(
        opencl_source("kernel void f(global float* x)\n{\n    x[0] = missing;\n}\n", "bad.cl"),
        opencl_request("f", {"float*"})));
    CHECK(why.stage == failure_stage::compile);
    CAPTURE(why.reason);
    CHECK(has(why.reason, "bad.cl:3:"));
    CHECK(has(why.reason, "missing"));
    CHECK(has(why.log, why.reason));
}

TEST_CASE("an option that the platform does not know is a failure with its text")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_options options;
    options.flags = {"-no-such-option"};
    failure const why = opencl_failure(
        opencl_here(options).compile(opencl_source(attune_test::scaled_sum_text), sum_request()));
    CHECK(why.stage == failure_stage::compile);
    CHECK(!why.reason.empty());
}

TEST_CASE("a kernel that is not defined, or otherwise, is a failure with both signatures")
{
    if (!attune_test::has_opencl()) return;
    auto const refused = [](std::string const& function, std::vector<std::string> arguments) {
        attune::compile_request v = sum_request();
        v.function = function;
        v.arguments = std::move(arguments);
        return opencl_failure(opencl_here().compile(opencl_source(attune_test::scaled_sum_text), v))
            .reason;
    };
    CHECK(has(refused("other", sum_arguments), "kernel 'other' is not defined in test.cl"));
    CHECK(has(refused("scaled_sum", {"float*", "float*"}),
              "the kernel file defines it as void(global float*, global float*, int)"));
    CHECK(has(refused("scaled_sum", {"float*", "float*", "float"}), "is declared in the program"));
    CHECK(has(refused("scaled_sum", {"float*", "double*", "int"}), "is declared in the program"));
    CHECK(has(refused("scaled_sum", {"float*", "int", "int"}), "is declared in the program"));
    attune::compile_request returns = sum_request();
    returns.result = "int";
    CHECK(has(
        opencl_failure(opencl_here().compile(opencl_source(attune_test::scaled_sum_text), returns))
            .reason,
        "a kernel for a device returns void"));
}

TEST_CASE("a launch that the device does not allow is refused before or after the build")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = opencl_here();
    attune::device_limits const& limits = compiler.target().device.limits;
    attune::compile_request v = sum_request();
    v.launch.block = {limits.threads_per_block * 2, 1, 1};
    failure why = opencl_failure(compiler.compile(opencl_source(attune_test::scaled_sum_text), v));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "the work-group is "));

    attune::compile_request sized = opencl_request("f", {"float*"});
    sized.launch.block = {4, 1, 1};
    why = opencl_failure(compiler.compile(
        opencl_source("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(global float* "
                      "x) { x[get_global_id(0)] = 1; }"),
        sized));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "the kernel demands 8x1x1"));

    attune::compile_request with_local = sum_request();
    with_local.launch.shared_bytes = 64;
    why = opencl_failure(compiler.compile(opencl_source(attune_test::scaled_sum_text), with_local));
    CHECK(has(why.reason, "its last argument is no local pointer"));
}

TEST_CASE("a build that takes longer than its limit is a failure with the limit")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_options options;
    options.limit_s = 1e-9;
    failure const why = opencl_failure(opencl_here(options).compile(
        opencl_source(attune_test::scaled_sum_text), sum_request("77")));
    CHECK(why.stage == failure_stage::compile);
    CHECK(has(why.reason, "took longer than 1e-09 s, its limit; see opencl_options::limit_s"));
}

TEST_CASE("a build without end costs its limit alone: the next build and the program go on")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_options options;
    options.limit_s = 3;
    attune::opencl_compiler const compiler = opencl_here(options);
    std::string text = "#define A0\n"; // no tokens, and no end: 2^60 replacements
    for (int i = 1; i <= 60; ++i) {
        std::string const before = " A" + std::to_string(i - 1);
        text += "#define A" + std::to_string(i) + before + before + '\n';
    }
    failure const why = opencl_failure(compiler.compile(
        opencl_source(text + "A60\n" + attune_test::scaled_sum_text), sum_request()));
    CHECK(why.stage == failure_stage::compile);
    CHECK(has(why.reason, "took longer than 3 s, its limit; see opencl_options::limit_s"));
    attune::callable const next = opencl_callable(
        compiler.compile(opencl_source(attune_test::scaled_sum_text), sum_request("5")));
    auto const driver = attune::detail::opencl::open_driver();
    attune::detail::cuda::primary_context const context{driver, 0};
    attune::detail::cuda::context_scope const here{context};
    auto const loaded = attune::detail::cuda::loaded_code::load(
        driver, attune::device_variant_of(next)); // takes the platform's lock of the context
    CHECK(std::holds_alternative<attune::detail::cuda::loaded_code>(loaded));
}

TEST_CASE("a crash of the platform's compiler is a failure of one configuration")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = opencl_here();
    if (!has(compiler.target().platform, "Portable Computing Language")) return;
    failure const why = opencl_failure(compiler.compile(
        opencl_source(std::string("#pragma clang __debug crash\n") + attune_test::scaled_sum_text),
        sum_request()));
    CHECK(why.stage == failure_stage::compile);
    CHECK(has(why.reason, "OpenCL's compiler ended its process: SIG"));
    CAPTURE(why.reason);
    static_cast<void>(opencl_callable(
        compiler.compile(opencl_source(attune_test::scaled_sum_text), sum_request("6"))));
}

TEST_CASE("a parameter is a macro at its use, and by itself the file has the default")
{
    if (!attune_test::has_opencl()) return;
    std::string const text =
        "#include <attune/tunable.hpp>\n"
        "kernel void f(global int* x) { x[0] = ATTUNE_TUNABLE(TILE, 64) - TILE;"
        " int unused[TILE == 16 ? 1 : -1]; }\n";
    attune::compile_request const v = opencl_request("f", {"int*"}, {{"TILE", "16"}});
    static_cast<void>(opencl_callable(opencl_here().compile(opencl_source(text), v)));
}

TEST_CASE("a binary is found again by text, flags, macros, device and driver, and not otherwise")
{
    if (!attune_test::has_opencl()) return;
    attune_test::cache_folder const folder;
    std::string const header = folder.write("part.h", "#define OFFSET 1\n");
    attune::opencl_options options;
    options.cache = folder.options();
    auto const compile = [&](std::string const& factor, std::vector<std::string> flags = {}) {
        attune::opencl_options now = options;
        now.flags = std::move(flags);
        attune::kernel_source source = opencl_source(
            std::string("#include \"part.h\"\n") + attune_test::scaled_sum_text, "test.cl");
        source.include_dirs = {header.substr(0, header.rfind('/'))};
        return opencl_callable(attune::opencl_compiler(now).compile(source, sum_request(factor)));
    };
    attune::callable const first = compile("2");
    CHECK(!first.from_cache);
    attune::callable const again = compile("2");
    CHECK(again.from_cache);
    CHECK(again.object_key == first.object_key);
    CHECK(attune::device_variant_of(again).code.resources ==
          attune::device_variant_of(first).code.resources);
    CHECK(!compile("3").from_cache);
    CHECK(!compile("2", {"-cl-mad-enable"}).from_cache);
    static_cast<void>(folder.write("part.h", "#define OFFSET 22\n"));
    CHECK(!compile("2").from_cache); // an included file has changed
    CHECK(compile("2").from_cache);
}

TEST_CASE("other contents of an included file are other code")
{
    if (!attune_test::has_opencl()) return;
    attune_test::cache_folder const folder;
    auto const key_with = [&](std::string const& header) {
        std::string const file = folder.write("part.h", header);
        attune::kernel_source source =
            opencl_source("#include \"part.h\"\n"
                          "kernel void f(global int* x) { x[get_global_id(0)] = OFFSET; }",
                          "test.cl");
        source.include_dirs = {file.substr(0, file.rfind('/'))};
        return opencl_callable(opencl_here().compile(source, opencl_request("f", {"int*"})))
            .object_key;
    };
    std::string const one = key_with("#define OFFSET 1\n");
    CHECK(key_with("#define OFFSET 2345\n") != one);
    CHECK(key_with("#define OFFSET 1\n") == one);
}

TEST_CASE("a kernel may read an array by vectors, whose width is a parameter")
{
    if (!attune_test::has_opencl()) return;
    for (char const* const type : {"float", "float2", "float4", "float8"}) {
        CAPTURE(type);
        attune::compile_request const v =
            opencl_request("f", {"std::span<float const>", "std::span<float>"}, {{"floats", type}});
        static_cast<void>(opencl_callable(opencl_here().compile(
            opencl_source("kernel void f(global floats const* x, global floats* y)\n"
                          "{ y[get_global_id(0)] = 2 * x[get_global_id(0)]; }"),
            v)));
    }
}

TEST_CASE(
    "a kernel with a local pointer and no declared local memory is refused with the declaration")
{
    if (!attune_test::has_opencl()) return;
    failure const why = opencl_failure(opencl_here().compile(
        opencl_source("kernel void f(global float* x, local float* tile) { tile[0] = x[0]; }"),
        opencl_request("f", {"float*"})));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "takes a local pointer as its last argument"));
    CHECK(has(why.reason, "kernel.shared_bytes(bytes)"));
}

TEST_CASE("the limit of a build is no part of the code")
{
    if (!attune_test::has_opencl()) return;
    auto const key_with = [](double limit_s) {
        attune::opencl_options options;
        options.limit_s = limit_s;
        return opencl_callable(opencl_here(options).compile(
                                   opencl_source(attune_test::scaled_sum_text), sum_request()))
            .object_key;
    };
    CHECK(key_with(50) == key_with(60));
}

TEST_CASE("a binary of the cache passes the tests that a build passes")
{
    if (!attune_test::has_opencl()) return;
    attune_test::cache_folder const folder;
    attune::opencl_options options;
    options.cache = folder.options();
    attune::opencl_compiler const compiler(options);
    attune::kernel_source const sized = opencl_source(
        "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(global float* x) "
        "{ x[get_global_id(0)] = 1; }");
    attune::compile_request v = opencl_request("f", {"float*"});
    v.launch.block = {8, 1, 1};
    static_cast<void>(opencl_callable(compiler.compile(sized, v)));
    CHECK(opencl_callable(compiler.compile(sized, v)).from_cache);
    v.launch.block = {4, 1, 1};
    failure why = opencl_failure(compiler.compile(sized, v));
    CHECK(why.stage == failure_stage::launch);
    CHECK(has(why.reason, "the kernel demands 8x1x1"));

    attune::compile_request without = sum_request();
    static_cast<void>(
        opencl_callable(compiler.compile(opencl_source(attune_test::scaled_sum_text), without)));
    without.launch.shared_bytes = 64;
    why = opencl_failure(compiler.compile(opencl_source(attune_test::scaled_sum_text), without));
    CHECK(has(why.reason, "its last argument is no local pointer"));
}

TEST_CASE("a winner is kept and found without a build")
{
    if (!attune_test::has_opencl()) return;
    attune_test::cache_folder const folder;
    attune::opencl_options options;
    options.cache = folder.options();
    attune::opencl_compiler const compiler(options);
    attune::kernel_source const source = opencl_source(attune_test::scaled_sum_text);
    CHECK(!compiler.find_winner(source, sum_request()));
    CHECK(!compiler.keep_winner(source, sum_request()));
    static_cast<void>(opencl_callable(compiler.compile(source, sum_request())));
    CHECK(compiler.keep_winner(source, sum_request()));
    CHECK(attune::opencl_compiler(options).find_winner(source, sum_request()).has_value());
    CHECK(compiler.statistics().added == 1);
}

TEST_CASE("without a library, without a platform and with an unknown device a sentence says so")
{
    attune::opencl_options options;
    options.library = "/no/libOpenCL.so";
    std::string why = opencl_here(options).missing();
    CHECK(has(why, "no OpenCL library"));
    CHECK(!has(why, "\n"));
    CHECK_THROWS_AS(static_cast<void>(opencl_here(options).identity()), attune::error);
    if (!attune_test::has_opencl()) return;
    options.library.clear();
    options.device = "no such device";
    why = opencl_here(options).missing();
    CHECK(has(why, "there is no OpenCL device 'no such device'"));
}
