// tests/tune/kernel/problem.cpp - from a kernel and its space to variants, keys and checked defaults.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/problem.hpp>

#include <attune/tune/kernel.hpp>
// and the facts beside a key
#include <attune/core/posix/machine_figures.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/selector.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune::point;
using attune::source_text;
using namespace attune::detail;
using attune_test::accumulate_kernel;
using attune_test::accumulate_source;
using attune_test::error_of;
using attune_test::has;
using attune_test::ways;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(1, 64));
constexpr auto flag = attune::boolean<"FLAG">();
constexpr auto rate = attune::real<"RATE">(0.0, 1.0);

using plain = void(std::span<float>, int);

template <class Pack>
attune::kernel<plain> kernel_of(Pack const& space, std::string text)
{
    return {"k", source_text(std::move(text), "k.kernel.cpp"), space};
}

/// The text of the attune::error that `act` throws; empty when it throws none.
template <class Pack>
std::string annotation_error(Pack const& space, std::string text)
{
    auto const k = kernel_of(space, std::move(text));
    return error_of([&] { (void)with_annotated_defaults(k.describe()); });
}

attune::chain_of_trees tree_of(auto const& k, std::vector<attune::input_value> const& inputs = {})
{
    return space_of_call(k.describe(), with_annotated_defaults(k.describe()), inputs);
}

point default_at(attune::description const& d)
{
    point out(d.parameters.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = default_of(d.parameters[i]);
    return out;
}

} // namespace

TEST_CASE("flags and compilers become no macros")
{
    static constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O2 -ffast-math");
    static constexpr auto cxx = attune::compilers<"CXX">("clang", "g++");
    static constexpr auto space = attune::space(tile, flags, cxx);
    auto const k = kernel_of(space, "int x = ATTUNE_TUNABLE(TILE, 4);\n");
    attune::chain_of_trees const tree = tree_of(k);
    attune::point const last = tree.at(static_cast<std::uint64_t>(*tree.size() - 1));
    attune::compile_request const v = make_variant(k.describe(), tree.describe(), last);
    CHECK(v.macros == std::vector<attune::macro_definition>{{"TILE", "64"}});
    CHECK(v.flags == std::vector<std::string>{"-O2", "-ffast-math"});
    CHECK(v.compiler == "g++");
    CHECK(*tree.describe().parameters[1].default_text == "-O3");
    CHECK(*tree.describe().parameters[2].default_text == "clang");
}

TEST_CASE("a kernel file that uses a parameter of flags is refused")
{
    static constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O2");
    std::string const said =
        annotation_error(attune::space(flags), "int x = ATTUNE_TUNABLE(FLAGS, 4);\n");
    CHECK(has(said, "FLAGS at k.kernel.cpp:1"));
    CHECK(has(said, "no macro"));
}

TEST_CASE("a parameter may be a template argument of the kernel instead of an annotation")
{
    static constexpr auto with = attune::space(tile.with_default(8));
    static constexpr auto without = attune::space(tile);
    attune::kernel<plain> const k{"k<TILE>", source_text("", "k.cpp"), with};
    CHECK(*with_annotated_defaults(k.describe()).parameters[0].default_text == "8");
    attune::kernel<plain> const open{"k<TILE>", source_text("", "k.cpp"), without};
    CHECK(has(error_of([&] { (void)with_annotated_defaults(open.describe()); }),
              "parameter TILE, kernel k<TILE>"));
    attune::kernel<plain> const other{"k<2 * TILE_N>", source_text("", "k.cpp"), with};
    CHECK(has(error_of([&] { (void)with_annotated_defaults(other.describe()); }),
              "the kernel file does not use"));
}

TEST_CASE("macro and flags of one name and values are two schemas")
{
    static constexpr auto flags = attune::flags<"X">("a", "b");
    static constexpr auto text = attune::categorical<"X">("a", "b").with_default("a");
    auto const schema_of = [](auto const& space) {
        return make_key(kernel_of(space, "").describe(), attune::lower(space), "c").schema;
    };
    CHECK(schema_of(attune::space(flags)) != schema_of(attune::space(text)));
}

TEST_CASE("a variant has the kernel's signature and a macro for each parameter")
{
    constexpr auto space = attune::space(tile, flag);
    auto const k = kernel_of(space, "");
    auto const all = attune::build(space);
    auto const v = make_variant(k.describe(), all.describe(),
                                {attune::coordinate{3, 0}, attune::coordinate{1, 0}});
    CHECK(v.function == "k");
    CHECK(v.arguments.size() == 2);
    REQUIRE(v.macros.size() == 2);
    CHECK(v.macros[0] == attune::macro_definition{"TILE", "8"});
    CHECK(v.macros[1] == attune::macro_definition{"FLAG", "true"});
}

TEST_CASE("a name that the kernel file gives to a constant is no macro of the variant")
{
    constexpr auto space = attune::space(tile, flag);
    auto const k = kernel_of(space, "constexpr int TILE = ATTUNE_TUNABLE(TILE, 16);\n"
                                    "bool f = ATTUNE_TUNABLE(FLAG, true);\n");
    attune::chain_of_trees const tree = tree_of(k);
    attune::compile_request const v = make_variant(k.describe(), tree.describe(), tree.at(0));
    REQUIRE(v.macros.size() == 2);
    CHECK(v.macros[0].is_own_name);
    CHECK(!v.macros[1].is_own_name);
    CHECK(
        has(annotation_error(space, "constexpr int TILE = ATTUNE_TUNABLE(TILE, 16);\n#if TILE > 8\n"
                                    "#endif\nbool f = ATTUNE_TUNABLE(FLAG, true);\n"),
            "k.kernel.cpp:2"));
}

TEST_CASE("nothing can be the default of a parameter that has it among its values")
{
    static constexpr auto unroll = attune::categorical<"UNROLL">("_Pragma(\"unroll\")", "");
    static constexpr auto space = attune::space(unroll);
    std::string const text = "void k() { ATTUNE_TUNABLE(UNROLL, ) for (;;) ; }\n";
    auto const k = kernel_of(space, text);
    attune::description const declared = with_annotated_defaults(k.describe());
    CHECK(*declared.parameters[0].default_text == "");
    attune::chain_of_trees const tree = tree_of(k);
    attune::compile_request const v = make_variant(k.describe(), tree.describe(), tree.at(1));
    CHECK(v.macros == std::vector<attune::macro_definition>{{"UNROLL", ""}});

    auto const number = kernel_of(attune::space(tile), "int x = ATTUNE_TUNABLE(TILE, );\n");
    CHECK(has(error_of([&] {
                  (void)space_of_call(number.describe(), with_annotated_defaults(number.describe()),
                                      {});
              }),
              "parameter TILE, default (nothing) at k.kernel.cpp:1"));
}

TEST_CASE("an inactive parameter is passed as the default that the kernel file states")
{
    auto const k =
        kernel_of(attune::space(tile.active_if(flag), flag),
                  "int t = ATTUNE_TUNABLE(TILE, 16);\nbool f = ATTUNE_TUNABLE(FLAG, 1);");
    attune::chain_of_trees const tree = tree_of(k);
    CHECK(*tree.size() == 1 + attune::build(attune::space(tile)).size().value());
    // What an earlier default, or another program, wrote about an inactive parameter counts as one.
    auto const off = point_of({{"TILE", "8"}, {"FLAG", "false"}}, tree);
    REQUIRE(off);
    CHECK(attune::text_of(tree.describe(), *off) == "TILE=(inactive) FLAG=false");
    attune::compile_request const v = make_variant(k.describe(), tree.describe(), *off);
    CHECK(v.macros == std::vector<attune::macro_definition>{{"TILE", "16"}, {"FLAG", "false"}});
}

TEST_CASE("a parameter without a default takes the one of the kernel file")
{
    auto const k =
        kernel_of(attune::space(tile, flag.with_default(true)),
                  "int t = ATTUNE_TUNABLE(TILE, 16);\nbool f = ATTUNE_TUNABLE(FLAG, 1);");
    auto const d = with_annotated_defaults(k.describe());
    CHECK(d.parameters[0].default_text == "16");
    CHECK(d.parameters[1].default_text == "true");
}

TEST_CASE("a parameter that is declared and not annotated is an error with its name and the file")
{
    std::string const text =
        annotation_error(attune::space(tile, flag), "int t = ATTUNE_TUNABLE(TILE, 16);");
    CHECK(has(text, "FLAG"));
    CHECK(has(text, "k.kernel.cpp"));
    CHECK(has(text, "next:"));
    CHECK(!has(text, "TILE"));
}

TEST_CASE("a parameter that is annotated and not declared is an error with name, file and line")
{
    std::string const text =
        annotation_error(attune::space(tile),
                         "\nint t = ATTUNE_TUNABLE(TILE, 16);\nint u = ATTUNE_TUNABLE(UNROLL, 2);");
    CHECK(has(text, "UNROLL at k.kernel.cpp:3"));
    CHECK(has(text, "next:"));
}

TEST_CASE("two defaults that differ are an error with name, file and line")
{
    std::string const between = annotation_error(attune::space(tile.with_default(32)),
                                                 "\nint t = ATTUNE_TUNABLE(TILE, 16);");
    CHECK(has(between, "TILE"));
    CHECK(has(between, "32"));
    CHECK(has(between, "16 at k.kernel.cpp:2"));

    std::string const within = annotation_error(
        attune::space(tile), "int t = ATTUNE_TUNABLE(TILE, 16);\nint u = ATTUNE_TUNABLE(TILE, 8);");
    CHECK(has(within, "TILE"));
    CHECK(has(within, "k.kernel.cpp:1 and k.kernel.cpp:2"));
}

TEST_CASE("the same default may be written in another way")
{
    CHECK(annotation_error(attune::space(tile.with_default(16)), "ATTUNE_TUNABLE(TILE,  16 )") ==
          "");
    CHECK(annotation_error(attune::space(rate.with_default(0.5)), "ATTUNE_TUNABLE(RATE, 0.50)") ==
          "");
    CHECK(annotation_error(attune::space(rate.with_default(1.0)), "ATTUNE_TUNABLE(RATE, 1)") == "");
    CHECK(annotation_error(attune::space(flag.with_default(false)), "ATTUNE_TUNABLE(FLAG, 0)") ==
          "");
    CHECK(annotation_error(attune::space(attune::permutation<"O", 3>().with_default({2, 0, 1})),
                           "ATTUNE_TUNABLE(O, {2,0,1})") == "");
}

TEST_CASE("a boolean default that is no truth value equals none")
{
    CHECK(annotation_error(attune::space(flag.with_default(false)),
                           "ATTUNE_TUNABLE(FLAG, maybe)") != "");
    CHECK(annotation_error(attune::space(flag.with_default(true)), "ATTUNE_TUNABLE(FLAG, 0)") !=
          "");
}

TEST_CASE("whatever a result depends on changes the key")
{
    auto const key = [](auto const& kernel, auto const& bound, std::string const& compiler) {
        return make_key(kernel.describe(), bound.describe(), compiler);
    };
    constexpr auto sized = attune::space(tile).where(tile <= n);
    constexpr auto other = attune::space(tile).where(tile < n);
    auto const k = kernel_of(sized, "a");
    auto const at64 = attune::build(sized, {n(64)});
    auto const base = key(k, at64, "c1");
    CHECK(base == key(kernel_of(sized, "a"), attune::build(sized, {n(64)}), "c1"));
    CHECK(base.kernel == "k");
    CHECK(base.compiler == "c1");
    REQUIRE(base.inputs.size() == 1);
    CHECK(base.inputs[0] == std::pair<std::string, std::string>{"N", "64"});

    CHECK(base.source != key(kernel_of(sized, "b"), at64, "c1").source);
    CHECK(base.schema != key(kernel_of(other, "a"), at64, "c1").schema);
    CHECK(base.compiler != key(k, at64, "c2").compiler);
    CHECK(base.inputs != key(k, attune::build(sized, {n(65)}), "c1").inputs);
    attune::kernel<void(std::span<double>, int)> const doubles{
        "k", source_text("a", "k.kernel.cpp"), sized};
    CHECK(base.schema != key(doubles, at64, "c1").schema);
}

TEST_CASE("a compiler and a store are held by reference behind one value")
{
    auto compiler = attune_test::accumulate_compiler("mine 3");
    any_compiler const any = make_any_compiler(compiler);
    CHECK(any.identity() == "mine 3");
    CHECK(any.notice() == "");
    compiler.say("careful");
    CHECK(any.notice() == "careful");

    attune::memory_store store;
    any_store const known = make_any_store(store);
    known.add({});
    CHECK(store.records().size() == 1);
    CHECK(known.find({}).how == attune::record_match::exact);
    CHECK(known.notices().empty());
}

TEST_CASE("the device has a name that stays the same")
{
    CHECK(!device_name().empty());
    CHECK(device_name() == device_name());
}

TEST_CASE("a default that is no value of its parameter is an error with name, file and line")
{
    auto const k = kernel_of(attune::space(tile), "\n\nint t = ATTUNE_TUNABLE(TILE, 17);");
    std::string const text = error_of([&] { (void)tree_of(k); });
    CHECK(has(text, "TILE"));
    CHECK(has(text, "17 at k.kernel.cpp:3"));
}

TEST_CASE("defaults that break a constraint are an error with names, constraint, file and lines")
{
    auto const k =
        kernel_of(attune::space(tile, rate).where(tile * 2 <= n),
                  "\nint t = ATTUNE_TUNABLE(TILE, 16);\nfloat r = ATTUNE_TUNABLE(RATE, 0.5f);");
    auto const declared = with_annotated_defaults(k.describe());
    CHECK(error_of([&] { (void)space_of_call(k.describe(), declared, {n(32)}); }) == "");
    std::string const text =
        error_of([&] { (void)space_of_call(k.describe(), declared, {n(31)}); });
    CHECK(has(text, "TILE * 2 <= N"));
    CHECK(has(text, "TILE=16"));
    CHECK(has(text, "k.kernel.cpp:2"));
    CHECK(!has(text, "k.kernel.cpp:3")); // RATE is innocent
}

TEST_CASE("a kernel that uses threads is another problem where it has not the whole machine")
{
    using attune_test::set_variable;
    set_variable const no_limit{"OMP_THREAD_LIMIT", ""};
    auto const with_threads = source_text("#pragma omp parallel for\n", "k.kernel.cpp");
    auto const without = source_text("int x;\n", "k.kernel.cpp");
    CHECK(may_use_threads(with_threads, "clang 19"));
    CHECK(may_use_threads(without, "clang 19 -fopenmp"));
    CHECK_FALSE(may_use_threads(without, "clang 19"));
    auto by_flag = without;
    by_flag.flags = {"-O3", "-fopenmp"};
    CHECK(may_use_threads(by_flag, "clang 19"));

    std::size_t const mine = [] {
        set_variable const none{"OMP_NUM_THREADS", ""};
        return usable_threads();
    }();
    CHECK(mine >= 1);
    for (char const* const nothing : {"", "no", "0", " "}) {
        set_variable const said{"OMP_NUM_THREADS", nothing};
        CHECK(usable_threads() == mine);
    }
    set_variable const many{"OMP_NUM_THREADS", " 1000,4"}; // of the outer and of inner regions
    CHECK(usable_threads() == 1000);
    CHECK(threads_setting(with_threads, "") == "1000");
    CHECK(threads_setting(without, "").empty());
    set_variable const limited{"OMP_THREAD_LIMIT", "77"};
    CHECK(threads_setting(with_threads, "") == "77");
    set_variable const all{"OMP_NUM_THREADS", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN))};
    set_variable const unlimited{"OMP_THREAD_LIMIT", "1000000"};
    CHECK(threads_setting(with_threads, "").empty()); // the default
}

TEST_CASE("devices have facts by which they are near or far")
{
    std::string const v2 = "fpu cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3";
    std::string const v3 = v2 + " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";
    CHECK(x86_level("fpu sse2") == "x86-64-v1");
    CHECK(x86_level(v2) == "x86-64-v2");
    CHECK(x86_level(v3) == "x86-64-v3");
    CHECK(x86_level(v3 + " avx512f avx512bw avx512cd avx512dq avx512vl") == "x86-64-v4");
    CHECK(x86_level("avx512f avx512bw avx512cd avx512dq avx512vl") == "x86-64-v1");
    CHECK(arm_level("fp asimd evtstrm crc32 cpuid") == "armv8-a"); // Cortex-A72
    std::string const n1 = "fp asimd crc32 atomics fphp asimdhp asimdrdm dcpop asimddp";
    CHECK(arm_level(n1) == "armv8.2-a+fp16");
    CHECK(arm_level(n1 + " sve") == "armv8.2-a+sve");
    CHECK(arm_level(n1 + " sve sve2") == "armv8.2-a+sve");
    attune::named_texts const& here = facts_of_processor();
    CHECK(std::any_of(here.begin(), here.end(), [](auto const& one) {
        return one.first == "cores" && std::stoi(one.second) >= 1;
    }));
    CHECK(facts_of_device("NVIDIA H200 (sm_90)") ==
          attune::named_texts{{"isa", "sm_90"}, {"vendor", "NVIDIA"}});
    CHECK(facts_of_device("NVIDIA H200 (sm_90), predicted") ==
          attune::named_texts{{"isa", "sm_90"}, {"vendor", "NVIDIA"}});
    CHECK(facts_of_device("sm_90, predicted") ==
          attune::named_texts{{"isa", "sm_90"}, {"vendor", "NVIDIA"}});
    CHECK(facts_of_device("x").empty());
    CHECK(facts_of_device("").empty());
}

TEST_CASE("an array and a long order are one macro, one default and one value of a record each")
{
    static constexpr auto cut = attune::array_of<3>(attune::integer<"CUT">(1, n));
    static constexpr auto order = attune::permutation<"ORDER", 14>();
    static constexpr auto how = attune::array_of<2>(attune::categorical<"HOW">("plain", "packed"));
    static constexpr auto space = attune::space(tile, cut, order, how).where(cut[0] <= cut[1]);
    std::string const items = "{13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}";
    std::string const text = "int t = ATTUNE_TUNABLE(TILE, 4);\n"
                             "int c[3] = ATTUNE_TUNABLE(CUT, {1,2,3});\n"
                             "int o[14] = ATTUNE_TUNABLE(ORDER, " +
                             items +
                             ");\n"
                             "way h[2] = ATTUNE_TUNABLE(HOW, {packed, plain});\n";
    auto const k = kernel_of(space, text);
    attune::chain_of_trees const made = tree_of(k, {n(9)});
    attune::description const& d = made.describe();
    point const at = default_at(d);
    attune::named_texts const configuration = texts_at(d, at);
    CHECK(configuration ==
          attune::named_texts{
              {"TILE", "4"}, {"CUT", "{1, 2, 3}"}, {"ORDER", items}, {"HOW", "{packed, plain}"}});
    attune::compile_request const v = make_variant(k.describe(), d, at);
    CHECK(v.macros ==
          std::vector<attune::macro_definition>{
              {"TILE", "4"}, {"CUT", "{1, 2, 3}"}, {"ORDER", items}, {"HOW", "{packed, plain}"}});
    CHECK(problem_of({}, d, {}).parameters ==
          std::vector<std::string>{"TILE", "CUT", "ORDER", "HOW"});
    attune::random_engine engine(8);
    for (int draw = 0; draw < 20; ++draw) {
        point const p = made.sample(engine);
        CHECK(point_of(texts_at(d, p), made) == p);
        attune::value_texts const values = values_of(d, p);
        CHECK(values.size() == 4);
        CHECK(point_of({"TILE", "CUT", "ORDER", "HOW"}, values, made) == p);
    }
    attune::named_texts short_one = configuration;
    short_one.pop_back();
    CHECK_FALSE(point_of(short_one, made));
    short_one = configuration;
    short_one[1].second = "{2, 1, 3}"; // breaks the constraint
    CHECK_FALSE(point_of(short_one, made));
}

TEST_CASE("the default of an array or a long order in the kernel file is a list of its parts")
{
    constexpr auto cut = attune::array_of<2>(attune::integer<"CUT">(1, 9));
    constexpr auto order = attune::permutation<"ORDER", 13>();
    std::string const items = "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}";
    CHECK(annotation_error(attune::space(cut), "ATTUNE_TUNABLE(CUT, {1, 2})") == "");
    std::string const few = annotation_error(attune::space(cut), "ATTUNE_TUNABLE(CUT, {1})");
    CHECK(has(few, "CUT at k.kernel.cpp:1, default {1}"));
    CHECK(has(annotation_error(attune::space(cut), "ATTUNE_TUNABLE(CUT, 1)"), "default 1"));
    CHECK(annotation_error(attune::space(order), "ATTUNE_TUNABLE(ORDER, " + items + ")") == "");
    CHECK(has(annotation_error(attune::space(order), "ATTUNE_TUNABLE(ORDER, {0, 1})"),
              "ORDER at k.kernel.cpp:1"));
    CHECK(has(annotation_error(attune::space(cut), "int x;"), "parameter CUT"));
    CHECK(annotation_error(attune::space(cut.with_default({1, 2})),
                           "ATTUNE_TUNABLE(CUT, { 1,2 })") == "");
    CHECK(has(
        annotation_error(attune::space(cut.with_default({1, 2})), "ATTUNE_TUNABLE(CUT, {1, 3})"),
        "CUT: {1, 2} in the declaration, {1, 3} at k.kernel.cpp:1"));
    // A value outside its table is found when the table is known.
    auto const k = kernel_of(attune::space(cut), "int c[2] = ATTUNE_TUNABLE(CUT, {1, 12});");
    CHECK(has(error_of([&] {
                  (void)space_of_call(k.describe(), with_annotated_defaults(k.describe()), {},
                                      nullptr, nullptr);
              }),
              "parameter CUT[1], default 12 at k.kernel.cpp:1"));
}

TEST_CASE("a store gives back an order of 1024 items and an array as they were")
{
    static constexpr auto order = attune::permutation<"ORDER", 1024>();
    static constexpr auto cut = attune::array_of<300>(attune::real<"CUT">(0.0, 1.0));
    auto const k = kernel_of(attune::space(order, cut), "");
    attune::chain_of_trees const all = attune::build(attune::space(order, cut));
    attune::random_engine engine(6);
    point const p = all.sample(engine);
    support::scratch_directory const directory;
    attune::record kept;
    kept.key = make_key(k.describe(), all.describe(), "c");
    kept.configuration = texts_at(all.describe(), p);
    REQUIRE(kept.configuration.size() == 2);
    kept.best_s = 1e-3;
    kept.default_s = 2e-3;
    {
        attune::store writer{directory.file("orders.attune")};
        writer.add(kept);
        CHECK(writer.notices().empty());
    }
    attune::store reader{directory.file("orders.attune")};
    attune::lookup_result const found = reader.find(kept.key);
    REQUIRE(found.how == attune::record_match::exact);
    CHECK(point_of(found.best->configuration, all) == p);
}

TEST_CASE("a store gives back every configuration of a selector, whose kernel has its default")
{
    static constexpr auto bits = attune::ordinal<"BITS">(attune::values(4, 8));
    static constexpr auto sort =
        attune::selector<"SORT", 3>(attune::powers_of_two(8, n), attune::algorithm("insertion"),
                                    attune::algorithm("radix", bits));
    auto const k = kernel_of(attune::space(sort),
                             "int r = ATTUNE_TUNABLE(SORT_RANGES, 2);\n"
                             "int c[] = ATTUNE_TUNABLE(SORT_CUT, {16, 16});\n"
                             "how s[] = ATTUNE_TUNABLE(SORT, {insertion, radix, radix});\n"
                             "int b[] = ATTUNE_TUNABLE(BITS, {8, 8, 8});\n");
    attune::chain_of_trees const all = tree_of(k, {n(32)});
    attune::description const& d = all.describe();
    point const at = default_at(d);
    CHECK(all.contains(at));
    CHECK(make_variant(k.describe(), d, at).macros ==
          std::vector<attune::macro_definition>{{"SORT_RANGES", "2"},
                                                {"SORT_CUT", "{16, 16}"},
                                                {"SORT", "{insertion, radix, radix}"},
                                                {"BITS", "{8, 8, 8}"}});
    REQUIRE(*all.size() == 3 + 3 * (3 * 2) + 3 * (3 * 2 * 2)); // three cut-offs, three acts
    support::scratch_directory const directory;
    std::vector<attune::record> kept;
    for (std::uint64_t i = 0; i < *all.size(); ++i) {
        attune::record one;
        one.key = make_key(k.describe(), d, "c" + std::to_string(i));
        one.configuration = texts_at(d, all.at(i));
        one.best_s = 1e-3;
        one.default_s = 2e-3;
        kept.push_back(std::move(one));
    }
    {
        attune::store writer{directory.file("sorts.attune")};
        for (attune::record const& one : kept)
            writer.add(one);
    }
    attune::store reader{directory.file("sorts.attune")};
    for (std::uint64_t i = 0; i < *all.size(); ++i) {
        attune::lookup_result const found = reader.find(kept[i].key);
        REQUIRE(found.how == attune::record_match::exact);
        CHECK(point_of(found.best->configuration, all) == all.at(i));
    }
    // BITS counts where some range is a radix sort.
    auto const inactive = [&](std::vector<std::string> const& values) {
        return inactive_in(d, *point_of({"SORT_RANGES", "SORT_CUT", "SORT", "BITS"}, values, all));
    };
    CHECK(inactive({"1", "{16, 16}", "{insertion, radix, radix}", "{8, 8, 8}"}) ==
          std::vector<std::uint32_t>{1, 3});
    CHECK(inactive({"2", "{16, 16}", "{insertion, radix, radix}", "{8, 4, 8}"}).empty());
}

TEST_CASE(
    "figures of the machine are part of a key: equal on one machine, the caller's where given")
{
    auto const k = kernel_of(attune::space(tile).where(4 * tile <= attune::machine::l2_bytes),
                             "int t = ATTUNE_TUNABLE(TILE, 16);");
    auto const declared = with_annotated_defaults(k.describe());
    auto const key = [&](std::vector<attune::input_value> const& inputs) {
        attune::chain_of_trees const space = space_of_call(k.describe(), declared, inputs);
        return make_key(k.describe(), space.describe(), "c");
    };
    std::int64_t const here = machine_figure_named("machine.l2_bytes").value();
    CHECK(key({}) == key({}));
    CHECK(key({}).inputs == attune::named_texts{{"machine.l2_bytes", std::to_string(here)}});
    CHECK(key({attune::machine::l2_bytes(here)}) == key({}));
    CHECK_FALSE(key({attune::machine::l2_bytes(here * 2)}) == key({}));
    // What differs in a key of another machine is the value of the figure, not the schema.
    CHECK(key({attune::machine::l2_bytes(here * 2)}).schema == key({}).schema);

    std::string const text = error_of([&] { (void)key({attune::machine::l2_bytes(60)}); });
    CHECK(has(text, "4 * TILE <= machine.l2_bytes, TILE=16 at k.kernel.cpp:1"));
    CHECK(has(text, "machine.l2_bytes=60"));
}

TEST_CASE("the extent of a pointer may be a figure of the machine")
{
    attune::kernel<void(float*)> k{"k", source_text("", "k.kernel.cpp"), attune::space(tile)};
    k.extent<0>(attune::machine::page_bytes / 4);
    CHECK(extents_of(k.describe(), {}) ==
          std::vector<std::size_t>{static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 4});
}
