// tests/ship/bake/device_images.cpp - a store with winners on devices becomes CUBINs and what launches them.
// SPDX-License-Identifier: MIT
//
// tests/baked/device.cmake compiles what is written, and launches.
#include <attune/ship/bake/device_images.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/lower.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/bake_text.hpp>
#include <attune/ship/bake/opencl_images.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "../../support/needs_nvrtc.hpp"
#include "../../support/scratch_directory.hpp"

using attune::detail::baked_kind;
using attune::detail::call_facts;
using attune::detail::launch_facts;
using attune::detail::shape_part;

namespace {

constexpr char const* kernel_text =
    "#include <attune/tunable.hpp>\n"
    "extern \"C\" __global__ void fill(float* x, int n)\n{\n"
    "#if ATTUNE_TUNABLE(BLOCK, 64) == 512 && __CUDA_ARCH__ < 900\n#error too large\n#endif\n"
    "    int const i = blockIdx.x * ATTUNE_TUNABLE(BLOCK, 64) + threadIdx.x;\n"
    "    if (i < n) x[i] = 1;\n}\n";

/// A store in which the kernel was tuned on a device, or predicted for one.
struct example {
    support::scratch_directory folder{};
    attune::memory_store store{};
    std::string compiler = "nvrtc 11.9 sm_90 --std=c++20";
    std::string when{};
    call_facts facts{
        .layout = {{shape_part::elements, 0}, {shape_part::number, 1}, {shape_part::places, 1}},
        .inputs = {{"N", 1}},
        .launch = launch_facts{.arguments = {"attune::device_span<float>", "int"},
                               .formulas = {"ceil_divide(in[0], at[0])", "", "", "at[0]"},
                               .reads = {"whole\tBLOCK"},
                               .defaults = {{"BLOCK", "64"}}}};

    example() { support::write_file(folder.file("fill.kernel.cu"), kernel_text); }

    void add(std::string const& device, char const* block, int n = 64)
    {
        attune::record one;
        one.key = {.kernel = "fill",
                   .source = attune::detail::source_fingerprint(
                       attune::source_text(kernel_text, folder.file("fill.kernel.cu"))),
                   .schema = "s",
                   .compiler = compiler,
                   .device = device,
                   .inputs = {{"N", std::to_string(n)}},
                   .signature = "f"};
        one.configuration = {{"BLOCK", block}};
        one.best_s = 0.5;
        one.default_s = 1.0;
        bool const is_measured = !device.ends_with("predicted");
        if (is_measured) one.shape = std::to_string(n) + ' ' + std::to_string(n) + " 0";
        one.code = std::string("code ") + block;
        one.evaluations = 10;
        one.when = when;
        attune::detail::stored_problem problem = attune::detail::problem_of(one);
        std::size_t const at = device.find("sm_");
        problem.facts = {{"isa", at == device.npos ? "x86-64-v3" : device.substr(at, 5)},
                         {"vendor", "NVIDIA"}};
        for (auto const& fact : facts_texts(facts))
            problem.facts.push_back(fact);
        store.note(problem,
                   {.values = attune::detail::values_of(one.configuration), .code = one.code});
        store.add(one);
    }
    std::vector<std::string> bake_it(std::vector<int> sm, bool is_unverified = false)
    {
        support::write_file(folder.file("s.attune"), store.text());
        return attune::detail::bake({.store = folder.file("s.attune"),
                                     .kernel_file = folder.file("fill.kernel.cu"),
                                     .architectures = std::move(sm),
                                     .is_unverified = is_unverified,
                                     .folder = folder.file("out"),
                                     .stem = "fill"});
    }
    [[nodiscard]] std::string table() const
    {
        return support::read_file(folder.file("out/fill_table.cpp"));
    }
    /// The sentence of a refusal; nothing is written then.
    std::string refused(std::vector<int> sm)
    {
        try {
            bake_it(std::move(sm));
        } catch (attune::error const& why) {
            CHECK_FALSE(std::filesystem::exists(folder.file("out")));
            return why.what();
        }
        return "not refused";
    }
};

bool has(std::string const& text, std::string const& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("each winner has a CUBIN for each architecture, the default PTX too")
{
    if (!attune_test::has_nvrtc()) return;
    example subject;
    subject.add("NVIDIA X (sm_90)", "128");
    auto const said = subject.bake_it({90, 80});
    std::string const table = subject.table();
    CHECK(has(table, "attune_baked_fill_default[3]"));
    CHECK(has(table, "{instruction_level::base, nullptr, baked_proof::record, proven_0_0, "
                     "largest_0_0, &::attune_baked_fill_0_sm_90, {}}"));
    CHECK(has(table, "&::attune_baked_fill_0_sm_80, {}}"));
    CHECK(has(table, "out.grid[0] = extent_of(ceil_divide(in[0], at[0]), 0);"));
    CHECK(has(table, "{\"NVIDIA X (sm_90)\", \"NVIDIA\", 0, 0, tree_0, 90, false}"));
    CHECK(has(table, "void(attune::device_span<float>, int)"));
    std::string const images = support::read_file(subject.folder.file("out/fill_images.cpp"));
    CHECK(has(images, "\"fill\", 80, true, \"PTX sm_80\"}"));
    std::string const script =
        attune::detail::script_text({.kind = attune::detail::baked_kind::cuda}, "fill");
    CHECK(has(script, "fill_table.o fill_images.o\n"));
    REQUIRE(said.size() == 1);
    CHECK(has(said[0], "tuned with nvrtc 11.9 sm_90 --std=c++20, baked with nvrtc 1"));
}

TEST_CASE(
    "code for a later device than that of the tuning does not serve, nor what does not compile")
{
    if (!attune_test::has_nvrtc(100)) return;
    example subject;
    subject.add("NVIDIA X (sm_90)", "512");
    auto const said = subject.bake_it({80, 90, 100});
    std::string const table = subject.table();
    CHECK(has(table, "attune_baked_fill_0_sm_90"));
    CHECK_FALSE(has(table, "attune_baked_fill_0_sm_80"));
    CHECK_FALSE(has(table, "attune_baked_fill_0_sm_100"));
    CHECK(has(table, "attune_baked_fill_default[4]"));
    REQUIRE(said.size() == 3);
    CHECK(has(said[0], "code for sm_100 does not serve where it was never run"));
    CHECK(has(said[2], "BLOCK=512 is not baked for sm_80"));
}

TEST_CASE("what was predicted serves where it is proven, or where that is asked for")
{
    if (!attune_test::has_nvrtc()) return;
    example subject;
    subject.add("sm_80, predicted", "256");
    auto const said = subject.bake_it({80});
    CHECK_FALSE(has(subject.table(), "fill_0_sm_80"));
    REQUIRE(said.size() == 3);
    CHECK(has(said[1], "attune_bake(... UNVERIFIED) lets it serve always"));
    CHECK(has(said[2], "nothing is faster than the default where it was verified"));
    subject.bake_it({80}, true);
    CHECK(has(subject.table(), "baked_proof::prediction"));
    CHECK(has(subject.table(), "{\"sm_80\", \"NVIDIA\", 0, 0, tree_0, 80, true}"));
    // What was measured there has the last word.
    subject.add("NVIDIA Y (sm_80)", "128");
    subject.bake_it({80}, true);
    CHECK_FALSE(has(subject.table(), "BLOCK=256"));
    CHECK_FALSE(has(subject.table(), ", true}"));
    // A prediction that was verified on another device serves.
    example other;
    other.add("sm_80, predicted", "256");
    other.add("NVIDIA X (sm_90)", "256");
    other.bake_it({80, 90});
    CHECK(has(other.table(), "attune_baked_fill_0_sm_80, {}}"));
    CHECK(has(other.table(), "80, true}"));
}

TEST_CASE("winners of a tuning with other build options than the latest are left out")
{
    struct {
        baked_kind kind;
        std::string device;
        std::string compiler;
        std::vector<std::string> flags;
        std::vector<std::string> (*flags_of)(std::string const&);
    } const kinds[] = {
        {baked_kind::opencl,
         "OpenCL gfx906 (AMD)",
         "opencl OpenCL 2.0, gfx906, driver 3581.0",
         {"-cl-mad-enable"},
         attune::detail::opencl_flags_of_identity},
        {baked_kind::cuda,
         "NVIDIA X (sm_90)",
         "nvrtc 11.9 sm_90 --std=c++20",
         {"--std=c++20", "-cl-mad-enable"},
         attune::detail::flags_of_identity},
    };
    for (auto const& one : kinds) {
        CAPTURE(one.device);
        example subject;
        subject.compiler = one.compiler + " -fast";
        subject.when = "2026-01-01T12:00:00Z";
        subject.add(one.device, "512", 1024);
        subject.compiler = one.compiler + " -cl-mad-enable";
        subject.when = "2026-01-02T12:00:00Z";
        subject.add(one.device, "128");
        attune::detail::bake_plan const plan =
            attune::detail::plan_of(subject.store.text(), "s.attune",
                                    attune::source_file(subject.folder.file("fill.kernel.cu")),
                                    {.kind = one.kind, .flags_of = one.flags_of});
        CHECK(plan.compilers == std::vector{subject.compiler});
        CHECK(one.flags_of(plan.compilers[0]) == one.flags);
        REQUIRE(plan.variants.size() == 1);
        CHECK(plan.variants[0].text() == "BLOCK=128");
        REQUIRE(plan.notices.size() == 1);
        CHECK(has(plan.notices[0], "1 winners are left out: the latest tuning had other build"));
        CHECK(has(plan.notices[0], "options: " + one.flags.front()));
    }
    example subject;
    subject.compiler = kinds[0].compiler;
    subject.add(kinds[0].device, "512", 1024);
    subject.compiler += " -cl-mad-enable";
    subject.when = "2026-01-02T12:00:00Z";
    subject.add(kinds[0].device, "128");
    support::write_file(subject.folder.file("s.attune"), subject.store.text());
    auto const said = attune::detail::bake({.store = subject.folder.file("s.attune"),
                                            .kernel_file = subject.folder.file("fill.kernel.cu"),
                                            .is_opencl = true,
                                            .folder = subject.folder.file("out"),
                                            .stem = "fill"});
    REQUIRE(said.size() == 2);
    CHECK(has(said[0], "1 winners are left out"));
    CHECK(has(subject.table(), "BLOCK=128"));
    CHECK_FALSE(has(subject.table(), "BLOCK=512"));
}

TEST_CASE("what cannot be baked for devices is one sentence, and nothing is written")
{
    example subject;
    subject.add("a processor", "128");
    std::string const unknown = subject.refused({91});
    CHECK(has(unknown, "there is no architecture of this name"));
    CHECK(has(unknown, "SM 91"));
    CHECK(has(unknown, "use some of 75, "));
    CHECK(has(subject.refused({90}), "the store has no winner on a device"));
    example older;
    older.facts.launch.reset();
    older.add("NVIDIA X (sm_90)", "128");
    CHECK(has(older.refused({90}), "the store does not say how a device launches the kernel"));
    example host;
    host.facts.launch->arguments[0] = "std::span<float>";
    host.add("NVIDIA X (sm_90)", "128");
    CHECK(has(host.refused({90}), "argument 0, std::span<float>, of kernel fill"));
    if (!attune_test::has_nvrtc()) return;
    example forged;
    forged.facts.launch->formulas[0] = "system(at[0])";
    forged.add("NVIDIA X (sm_90)", "128");
    CHECK(has(forged.refused({90}), "the store has a launch that cannot be computed"));
    example odd;
    odd.facts.launch->reads = {"whole\tOTHER"};
    odd.add("NVIDIA X (sm_90)", "128");
    CHECK(has(odd.refused({90}), "from which no launch can be computed"));
}

TEST_CASE("numbers of a configuration, and formulas, are what they are said to be")
{
    launch_facts const launch{
        .reads = {"whole\tA", "real\tB", "item\t1\tT", "place\t0\tT", "text\tM\tfast", "whole\tF"}};
    attune::named_texts const configuration{
        {"A", "-7"}, {"B", "1.5"}, {"T", "{2,0,1}"}, {"M", "fast"}, {"F", "true"}};
    CHECK(launch_numbers(launch, configuration, "s") ==
          std::vector<std::string>{"formula::integer(-7)", "formula::real(0x1.8p+0)",
                                   "formula::integer(0)", "formula::integer(1)",
                                   "formula::integer(1)", "formula::integer(1)"});
    // Lists as a configuration's text has them, with a blank behind each comma.
    constexpr auto order = attune::permutation<"O", 13>();
    constexpr auto cut = attune::array_of<3>(attune::integer<"C">(1, 8));
    attune::description const d = attune::bind_inputs(attune::lower(attune::space(order, cut)), {});
    attune::point at(d.parameters.size());
    at[0].index = 12;
    at[12].index = 7;
    at[13].index = 3;
    attune::named_texts written;
    for (attune::detail::named_value const& v : attune::detail::named_values(d))
        written.emplace_back(std::string(v.name), attune::detail::text_at(d, v, at));
    CHECK(written[1].second == "{8, 4, 1}");
    launch_facts const lists{
        .reads = {"item\t0\tC", "item\t1\tC", "item\t2\tC", "place\t12\tO", "item\t1\tO"}};
    CHECK(launch_numbers(lists, written, "s") ==
          std::vector<std::string>{"formula::integer(8)", "formula::integer(4)",
                                   "formula::integer(1)", "formula::integer(0)",
                                   "formula::integer(0)"});
    using attune::detail::is_formula;
    CHECK(is_formula(
        "select(less(in[0], real(-0x1.8p+0)), at[1], integer(-9223372036854775807 - 1))", 1, 2));
    for (char const* const bad :
         {"in[1]", "at[2]", "abort()", "integer(abort())", "add(in[0]", "x", "in[0]; abort()", "in",
          "at[0]]", "integer(1)#", "std::abs(in[0])"})
        CHECK_FALSE(is_formula(bad, 1, 2));
    CHECK(attune::detail::flags_of_identity("nvrtc 13.0 sm_90 --std=c++20 --use_fast_math") ==
          std::vector<std::string>{"--std=c++20", "--use_fast_math"});
    CHECK(attune::detail::flags_of_identity("emulated") == std::vector<std::string>{"--std=c++20"});
}
