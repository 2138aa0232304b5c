// bench.ship.baked : what a baked kernel costs beside its function, and what its tree loses.
// SPDX-License-Identifier: MIT
//
// dispatch  a call with one input and 8 sizes in turn over the raw function pointer, interleaved
// places    calls at 64 addresses in turn, each of which is another shape: of 8 sizes (512 shapes),
//           and of 128 sizes (8,192 shapes, which are more than are kept)
// start     first call in this process: the processor is asked, the shape is checked
// size      what bench_ship_with has over bench_ship_without, but for the code of the variants
// served    the same product is tuned, called at 2,000 random sizes, and baked from the store: a
//           release then makes 100,000 calls of sizes up to the largest that each of its variants
//           was verified for, at any addresses. Share of the calls for which the tree's choice
//           serves
// tree      a matrix-vector product, all its configurations timed at many sizes; every other size
//           is left out, and served with what the tree of the others says. Regret of a size is what
//           that loses over the size's own best; the mean and the worst of the sizes left out
//
// --programs FOLDER  where the two programs are; --rounds N of the timings
#include <attune/ship/baked.hpp>

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "../support/scratch_folder.hpp"

namespace {

namespace baking = attune::detail;

using signature = void(std::span<unsigned char>, int);
using shape = baking::shape_of_call<std::span<unsigned char>, int>;

[[gnu::noinline]] void add(std::span<unsigned char> x, int by)
{
    x[0] = static_cast<unsigned char>(x[0] + by);
}

baking::baked_code address_of_add() noexcept { return reinterpret_cast<baking::baked_code>(&add); }

struct alignas(64) data {
    std::array<unsigned char, 1'088> values{};
};
constexpr std::array<int, 8> sizes{8, 16, 24, 32, 64, 128, 256, 1'024};

/// A table as attune_bake writes it: one variant, verified for the eight sizes at any address.
struct table {
    baking::baked_build builds[1] = {{baking::instruction_level::base, &address_of_add}};
    static constexpr std::int64_t divisors[] = {8};
    static constexpr baking::baked_node tree[] = {{0, 100.0, 1, 2}, {-1, 0, 0, -1}, {-1, 0, 0, -1}};
    static constexpr std::size_t inputs[] = {1};
    std::vector<std::uint64_t> proven{};
    std::array<std::int64_t, 3> largest{1'024, 1'024, 63};
    std::vector<baking::shape_word> layout = shape::layout();
    baking::baked_variant variants[1];
    baking::baked_device devices[1]{{"any", "", 0, 0, tree}};
    baking::baked_table all{};

    table()
    {
        baking::shape_properties const counted(layout, {8});
        for (int const n : sizes)
            for (std::int64_t place = 0; place < 64; ++place)
                for (std::uint64_t const one : counted.of(std::array<std::int64_t, 3>{n, n, place}))
                    proven.push_back(one);
        std::sort(proven.begin(), proven.end());
        proven.erase(std::unique(proven.begin(), proven.end()), proven.end());
        variants[0] = {.configuration = "STEP=8", .builds = builds, .divisors = divisors};
        builds[0].proven.first = proven.data();
        builds[0].proven.count = proven.size();
        builds[0].largest.first = largest.data();
        builds[0].largest.count = largest.size();
        all.fallback = &address_of_add;
        all.layout.first = layout.data();
        all.layout.count = layout.size();
        all.inputs = inputs;
        all.variants = variants;
        all.devices = devices;
    }
};

} // namespace

namespace attune::inline ATTUNE_ABI::detail {

template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"add", ::signature>() noexcept
{
    static ::table const one;
    return one.all;
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace {

double first_call_ms(data& at)
{
    static_cast<void>(baking::baked_table_of<"add", signature>()); // constants in a release
    double const begun_s = baking::steady_seconds();
    attune::baked<signature> const subject{attune::baked_kernel<"add">};
    subject({at.values.data(), 8}, 8);
    return 1e3 * (baking::steady_seconds() - begun_s);
}

/// Nanoseconds of a call over the raw pointer.
double over_raw_ns(data& at, std::size_t rounds)
{
    attune::baked<signature> const subject{attune::baked_kernel<"add">};
    signature* volatile hidden = &add;
    constexpr std::size_t calls = 80'000;
    auto const run = [&](auto const& function) {
        return [&at, function] {
            for (std::size_t i = 0; i < calls; ++i) {
                int const n = sizes[i % sizes.size()];
                function(std::span<unsigned char>(at.values.data(), static_cast<std::size_t>(n)),
                         n);
            }
        };
    };
    std::vector<double> const s = bench::interleaved_medians(
        {run([&](std::span<unsigned char> x, int n) { subject(x, n); }), run(hidden)}, rounds);
    std::printf("dispatch baked_ns=%.2f raw_ns=%.2f\n", 1e9 * s[0] / static_cast<double>(calls),
                1e9 * s[1] / static_cast<double>(calls));
    return 1e9 * (s[0] - s[1]) / static_cast<double>(calls);
}

/// Nanoseconds of a call where 64 addresses take turns, with the 8 sizes and with 128.
void tell_places(data& at, std::size_t rounds)
{
    attune::baked<signature> const subject{attune::baked_kernel<"add">};
    constexpr std::size_t calls = 16'384;
    auto const run = [&](std::size_t count) {
        return [&, count] {
            for (std::size_t i = 0; i < calls; ++i) {
                std::size_t const which = i / 64 % count;
                int const n =
                    count == sizes.size() ? sizes[which] : static_cast<int>(8 * which + 8);
                subject({at.values.data() + i % 64, static_cast<std::size_t>(n)}, n);
            }
        };
    };
    std::vector<double> const s = bench::interleaved_medians({run(8), run(128)}, rounds);
    std::printf("places shapes_512_ns=%.1f shapes_8192_ns=%.1f\n",
                1e9 * s[0] / static_cast<double>(calls), 1e9 * s[1] / static_cast<double>(calls));
}

/// Bytes of a program or an object that are loaded.
std::size_t loaded_bytes(std::filesystem::path const& path)
{
    std::ifstream in(path, std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.size() < sizeof(Elf64_Ehdr)) throw std::runtime_error("no program: " + path.string());
    Elf64_Ehdr head{};
    std::copy_n(bytes.data(), sizeof head, reinterpret_cast<char*>(&head));
    std::size_t out = 0;
    for (std::size_t i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section{};
        std::copy_n(bytes.data() + head.e_shoff + i * sizeof section, sizeof section,
                    reinterpret_cast<char*>(&section));
        if ((section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOBITS)
            out += section.sh_size;
    }
    return out;
}

double growth_kilobytes(std::filesystem::path const& folder)
{
    std::size_t const with = loaded_bytes(folder / "bench_ship_with");
    std::size_t const without = loaded_bytes(folder / "bench_ship_without");
    std::size_t variants = 0;
    for (auto const& one : std::filesystem::directory_iterator(folder / "attune_baked"))
        if (one.path().extension() == ".o") variants += loaded_bytes(one.path());
    std::printf("size with=%zu without=%zu variants=%zu bytes\n", with, without, variants);
    return (static_cast<double>(with) - static_cast<double>(without) -
            static_cast<double>(variants)) /
           1'024;
}

using product = void(std::span<float const>, std::span<float const>, std::span<float>, int);
/// A file beside this one.
std::string beside(char const* path)
{
    return std::filesystem::path(__FILE__).replace_filename(path).lexically_normal().string();
}
std::string const kernel_file = beside("../../tests/baked/matvec.kernel.cpp");

/// Tunes the product at one size, without an input, and calls it at others.
void develop(std::string const& store, int most)
{
    constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8));
    constexpr auto sums = attune::ordinal<"SUMS">(attune::values(1, 8, 16, 32, 64));
    attune::kernel<product> kernel{"matvec", attune::source_file(kernel_file),
                                   attune::space(rows, sums)};
    kernel.tolerate<2>({.absolute = 1e-4, .relative = 1e-4});
    attune::tuning_options options;
    options.limits = {.evaluations = 16, .seconds = 20};
    options.sizes = attune::size_policy::several;
    options.progress = attune::silent_progress();
    attune::tuned tuned{kernel, attune::clang_compiler{}, attune::store{store}, options};
    auto const largest = static_cast<std::size_t>(most);
    std::vector<float> const a(largest * largest, 1.0f), x(largest, 2.0f);
    std::vector<float> y(largest);
    auto const call = [&](int n) {
        auto const elements = static_cast<std::size_t>(n);
        tuned(std::span(a).first(elements * elements), std::span(x).first(elements),
              std::span(y).first(elements), n);
    };
    call(256);
    std::mt19937_64 random(7);
    for (int i = 0; i < 2'000; ++i)
        call(static_cast<int>(
            std::exp2(std::log2(most) * static_cast<double>(random() >> 11) * 0x1p-53)));
    tuned.wait();
}

/// The share of a release's calls that its variants serve, where the tree chooses one.
double served_share()
{
    bench::scratch_folder const folder(std::filesystem::temp_directory_path().string());
    std::string const store = folder.path() + "/matvec.attune";
    develop(store, 1'024);
    baking::bake_request request{.store = store,
                                 .kernel_file = kernel_file,
                                 .levels = {"base", "x86-64-v3", "x86-64-v4"},
                                 .folder = folder.path(),
                                 .stem = "matvec",
                                 .writes_script = true};
    std::string table;
    for (std::string const& said : baking::bake(request, &table))
        std::fprintf(stderr, "%s\n", said.c_str());
    std::fputs(table.c_str(), stderr);
    baking::bake_plan const plan =
        baking::plan_of(baking::text_of_store(store), store, attune::source_file(kernel_file), {});
    std::int64_t most = 1'024;
    for (baking::planned_variant const& one : plan.variants)
        most = std::min(most, one.recorded.largest.at(3));
    std::string const compiler = ATTUNE_BENCH_COMPILER;
    std::string const flags = " -std=c++20 -O2 -I" ATTUNE_BENCH_INCLUDE;
    std::string const out = folder.path() + "/out";
    for (std::string const& command :
         {"CXX=" + compiler + " CXXFLAGS='" + flags + "' sh " + folder.path() + "/matvec.sh",
          compiler + flags + " -DATTUNE_BENCH_BAKED " + beside("matvec.program.cpp") + ' ' +
              folder.path() + "/libmatvec.a -o " + folder.path() + "/program",
          folder.path() + "/program 100000 " + std::to_string(most) + " >" + out})
        if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    std::ifstream in(out);
    std::string word;
    double variant = 0, not_faster = 0, unverified = 0, unsupported = 0;
    in >> word >> word >> variant >> word >> not_faster >> word >> unverified >> word >>
        unsupported;
    if (!in) throw std::runtime_error("the program did not say what served");
    std::printf("served most=%lld variants=%zu by_variant=%.0f not_faster=%.0f unverified=%.0f "
                "unsupported=%.0f\n",
                static_cast<long long>(most), plan.variants.size(), variant, not_faster, unverified,
                unsupported);
    return (variant + not_faster) / (variant + not_faster + unverified + unsupported);
}

struct regrets {
    double mean = 0;
    double worst = 0;
    std::size_t variants = 0;
};

regrets regret_of_tree(std::size_t rounds)
{
    attune::clang_compiler compiler;
    attune::kernel_source const source = attune::source_file(kernel_file);
    std::vector<attune::callable> codes;
    for (char const* const rows : {"1", "2", "4", "8"})
        for (char const* const sums : {"1", "8", "16", "32", "64"}) {
            attune::compile_request wanted = attune::variant_of<product>("matvec");
            wanted.macros = {{"ROWS", rows}, {"SUMS", sums}};
            codes.push_back(std::get<attune::callable>(compiler.compile(source, wanted)));
        }
    std::vector<float> a(1'024 * 1'024, 1.0f), x(1'024, 2.0f), y(1'024);
    std::vector<baking::tree_point> points;
    for (double exact = 12; exact < 1'024; exact *= 1.2) {
        int const n = static_cast<int>(exact);
        auto const elements = static_cast<std::size_t>(n);
        std::vector<std::function<void()>> runs;
        int const repeats = std::max(1, 400'000 / (n * n));
        for (attune::callable const& code : codes)
            runs.push_back([&, n, elements, repeats, run = code.as<product>()] {
                for (int i = 0; i < repeats; ++i)
                    run(std::span(a).first(elements * elements), std::span(x).first(elements),
                        std::span(y).first(elements), n);
            });
        std::vector<double> const s = bench::interleaved_medians(runs, rounds);
        baking::tree_point p{.inputs = {static_cast<double>(n)},
                             .is_usable = std::vector<bool>(codes.size(), true),
                             .default_s = s[0]};
        for (double const one : s)
            p.seconds.emplace_back(one);
        points.push_back(std::move(p));
    }
    std::vector<baking::tree_point> kept;
    for (std::size_t i = 0; i < points.size(); i += 2)
        kept.push_back(points[i]);
    baking::regret_table const known(kept);
    std::vector<std::int32_t> const chosen = baking::choose_variants(known, 10);
    std::vector<std::size_t> all(kept.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<baking::baked_node> const tree = baking::grow_tree(kept, known, chosen, all);
    baking::regret_table const truth(points);
    regrets out{.variants = chosen.size()};
    std::vector<double> lost;
    for (std::size_t i = 1; i < points.size(); i += 2) {
        std::int32_t const choice = baking::choice_in(
            tree.data(), [&](std::size_t input) { return points[i].inputs[input]; });
        lost.push_back(truth.at(i, choice));
        std::printf("tree n=%.0f regret=%.3f\n", points[i].inputs[0], lost.back());
    }
    out.worst = *std::max_element(lost.begin(), lost.end());
    out.mean = std::accumulate(lost.begin(), lost.end(), 0.0) / static_cast<double>(lost.size());
    return out;
}

int run(std::string const& programs, std::size_t rounds)
{
    static data at;
    double const first_ms = first_call_ms(at);
    std::printf("start first_call_ms=%.4f\n", first_ms);
    double const over_ns = over_raw_ns(at, rounds);
    tell_places(at, rounds);
    double const kilobytes = growth_kilobytes(programs);
    double const served = served_share();
    regrets const lost = regret_of_tree(rounds);
    std::printf("tree variants=%zu mean=%.4f worst=%.4f\n", lost.variants, lost.mean, lost.worst);
    std::printf("total over_raw_ns=%.2f first_call_ms=%.4f kilobytes=%.1f served=%.5f "
                "regret=%.4f\n",
                over_ns, first_ms, kilobytes, served, lost.mean);
    return 0;
}

} // namespace

int main(int count, char** words)
{
    return bench::exit_code_of(words[0], [&] {
        std::string programs = ATTUNE_BENCH_SHIP_PROGRAMS;
        std::size_t rounds = 21;
        bench::read_arguments(count, words, {{"--programs", &programs}, {"--rounds", &rounds, 1}});
        return run(programs, rounds);
    });
}
