// tests/tune/bad_arguments.cpp : what is wrong with any kind of argument, or with the result, is noticed
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trial.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../support/bad_variants.hpp"
#include "../support/scripted_compiler.hpp"

using attune::failure;
using attune::failure_stage;

namespace {

struct body {
    float x;
    double mass;
    std::int8_t kind;
};
enum class colour : std::uint16_t { red, green, blue };
struct half {
    std::uint16_t bits;
};
struct settings {
    float factor;
    colour paint;
};

} // namespace

template <>
struct attune::kernel_type<body> {
    static constexpr auto name = "body";
};
template <>
struct attune::kernel_type<half> {
    static constexpr auto name = "half";
    static constexpr auto compared_as = attune::element_type::f16;
};
template <>
struct attune::kernel_type<settings> {
    static constexpr auto name = "settings";
};

namespace {

using complex = std::complex<float>;
using signature = double(std::span<body const>, std::span<body>, std::span<complex>,
                         std::span<colour>, std::span<half>, attune::matrix_view<float>,
                         std::span<float* const>, std::span<std::array<int, 3>>, settings);

constexpr std::size_t n = 33;
constexpr std::size_t columns = 5;
constexpr std::size_t row_stride = 8;
constexpr std::size_t arrays = 3; ///< behind pointers

/// One call.
struct call {
    std::span<body const> in;
    std::span<body> out;
    std::span<complex> z;
    std::span<colour> e;
    std::span<half> h;
    attune::matrix_view<float> m;
    std::span<float* const> batch;
    std::span<std::array<int, 3>> a;
    settings s;
};

double right(call const& c)
{
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        float const x = c.in[i].x * c.s.factor;
        c.out[i].x = x;
        c.out[i].mass = 3 * c.in[i].mass;
        c.out[i].kind = static_cast<std::int8_t>(c.in[i].kind + 2);
        c.z[i] = {x, 1 - x};
        c.e[i] = i % 2 == 0 ? c.s.paint : colour::red;
        c.h[i].bits = attune::detail::half_bits(static_cast<double>(x) / 4).bits;
        for (std::size_t j = 0; j < columns; ++j)
            c.m(i, j) = x + static_cast<float>(j);
        for (std::size_t k = 0; k < arrays; ++k)
            c.batch[k][i] = x - static_cast<float>(k + 1);
        for (std::size_t j = 0; j < 3; ++j)
            c.a[i][j] = static_cast<int>(10 * i + j);
        sum += c.in[i].mass;
    }
    return sum;
}

/// The numbers that a kernel writes, all alike.
struct numbers {
    char const* name;
    std::size_t count;
    bool is_real;
    double (*get)(call const&, double result, std::size_t);
    void (*set)(call const&, double& result, std::size_t, double);
};

template <class T, class U>
T as(U value)
{
    return static_cast<T>(value);
}

numbers const written[] = {
    {"field x", n, true,
     [](call const& c, double, std::size_t i) { return as<double>(c.out[i].x); },
     [](call const& c, double&, std::size_t i, double v) { c.out[i].x = as<float>(v); }},
    {"field mass", n, true, [](call const& c, double, std::size_t i) { return c.out[i].mass; },
     [](call const& c, double&, std::size_t i, double v) { c.out[i].mass = v; }},
    {"field kind", n, false,
     [](call const& c, double, std::size_t i) { return as<double>(c.out[i].kind); },
     [](call const& c, double&, std::size_t i, double v) { c.out[i].kind = as<std::int8_t>(v); }},
    {"real part", n, true,
     [](call const& c, double, std::size_t i) { return as<double>(c.z[i].real()); },
     [](call const& c, double&, std::size_t i, double v) { c.z[i].real(as<float>(v)); }},
    {"imaginary part", n, true,
     [](call const& c, double, std::size_t i) { return as<double>(c.z[i].imag()); },
     [](call const& c, double&, std::size_t i, double v) { c.z[i].imag(as<float>(v)); }},
    {"enumeration", n, false,
     [](call const& c, double, std::size_t i) { return as<double>(static_cast<int>(c.e[i])); },
     [](call const& c, double&, std::size_t i, double v) {
         c.e[i] = static_cast<colour>(static_cast<int>(v));
     }},
    {"half", n, true,
     [](call const& c, double, std::size_t i) {
         attune::detail::half_bits h;
         h.bits = c.h[i].bits;
         return static_cast<double>(h);
     },
     [](call const& c, double&, std::size_t i, double v) {
         c.h[i].bits = attune::detail::half_bits(v).bits;
     }},
    {"matrix", n* columns, true,
     [](call const& c, double, std::size_t i) { return as<double>(c.m(i / columns, i % columns)); },
     [](call const& c, double&, std::size_t i, double v) {
         c.m(i / columns, i % columns) = as<float>(v);
     }},
    {"array behind a pointer", n* arrays, true,
     [](call const& c, double, std::size_t i) { return as<double>(c.batch[i / n][i % n]); },
     [](call const& c, double&, std::size_t i, double v) { c.batch[i / n][i % n] = as<float>(v); }},
    {"array of arrays", n * 3, false,
     [](call const& c, double, std::size_t i) { return as<double>(c.a[i / 3][i % 3]); },
     [](call const& c, double&, std::size_t i, double v) { c.a[i / 3][i % 3] = as<int>(v); }},
    {"result", 1, true, [](call const&, double result, std::size_t) { return result; },
     [](call const&, double& result, std::size_t, double v) { result = v; }},
};

enum class fault {
    off_at_first,
    off_in_the_middle,
    off_at_last,
    leaves_one_out,
    leaves_half_out,
    leaves_all_out,
    accumulates,
    exchanges_neighbours,
    not_a_number,
    infinite,
};
constexpr std::size_t integer_faults = 8;
constexpr std::size_t all_faults = 10;
char const* const fault_names[] = {"off at first",   "off in the middle",    "off at last",
                                   "leaves one out", "leaves half out",      "leaves all out",
                                   "accumulates",    "exchanges neighbours", "NaN",
                                   "infinite"};

/// Memory beside an argument, and one that is not to be written at all.
struct place {
    char const* name;
    void* (*where)(call const&);
};
template <class T>
void* past(std::span<T> s)
{
    return const_cast<std::remove_const_t<T>*>(s.data() + s.size());
}
template <class T>
void* before(std::span<T> s)
{
    return reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(s.data())) - 1;
}
place const outside[] = {
    {"past the structures", [](call const& c) { return past(c.out); }},
    {"before the structures", [](call const& c) { return before(c.out); }},
    {"past the complex numbers", [](call const& c) { return past(c.z); }},
    {"before the complex numbers", [](call const& c) { return before(c.z); }},
    {"past the enumerations", [](call const& c) { return past(c.e); }},
    {"before the enumerations", [](call const& c) { return before(c.e); }},
    {"past the halves", [](call const& c) { return past(c.h); }},
    {"before the halves", [](call const& c) { return before(c.h); }},
    {"past the arrays", [](call const& c) { return past(c.a); }},
    {"before the arrays", [](call const& c) { return before(c.a); }},
    {"past the matrix", [](call const& c) -> void* { return c.m.row(n - 1) + columns; }},
    {"before the matrix", [](call const& c) -> void* { return c.m.row(0) - 1; }},
    {"first gap of the matrix", [](call const& c) -> void* { return c.m.row(0) + columns; }},
    {"last gap of the matrix", [](call const& c) -> void* { return c.m.row(n - 1) - 1; }},
    {"past the first array behind a pointer",
     [](call const& c) -> void* { return c.batch[0] + n; }},
    {"before the last array behind a pointer",
     [](call const& c) -> void* { return c.batch[arrays - 1] - 1; }},
    {"past the pointers", [](call const& c) { return past(c.batch); }},
    {"the pointers",
     [](call const& c) -> void* { return const_cast<float**>(c.batch.data()); }}, // NOLINT
    {"what is only read", [](call const& c) -> void* { return const_cast<body*>(c.in.data()); }},
};

struct bad_variant {
    std::size_t number = 0; ///< of `written`; all of them: outside
    std::size_t fault = 0;  ///< or index into `outside`
};

std::vector<bad_variant> all_bad()
{
    std::vector<bad_variant> out;
    for (std::size_t i = 0; i < std::size(written); ++i)
        for (std::size_t f = 0; f < (written[i].is_real ? all_faults : integer_faults); ++f) {
            bool const needs_several = f == 2 || f == 4 || f == 7;
            if (written[i].count > 1 || !needs_several) out.push_back({i, f});
        }
    for (std::size_t i = 0; i < std::size(outside); ++i)
        out.push_back({std::size(written), i});
    return out;
}

std::vector<bad_variant> const bad = all_bad();
constexpr std::size_t most = 160;
constexpr std::size_t good = most; ///< the seed of the default

double behave(std::size_t seed, call const& c)
{
    if (seed >= bad.size()) return right(c);
    auto const [which, how] = bad[seed];
    if (which == std::size(written)) {
        double const result = right(c);
        attune_test::store(static_cast<char*>(outside[how].where(c)), '\x11');
        return result;
    }
    numbers const& of = written[which];
    std::vector<double> old(of.count);
    for (std::size_t i = 0; i < of.count; ++i)
        old[i] = of.get(c, 0, i);
    double result = right(c);
    auto const set = [&](std::size_t i, double v) { of.set(c, result, i, v); };
    auto const get = [&](std::size_t i) { return of.get(c, result, i); };
    auto const off = [&](std::size_t i) { set(i, of.is_real ? 1.5 * get(i) + 1 : get(i) + 1); };
    auto const kind = static_cast<fault>(how);
    if (kind == fault::off_at_first) off(0);
    if (kind == fault::off_in_the_middle) off(of.count / 2);
    if (kind == fault::off_at_last) off(of.count - 1);
    if (kind == fault::leaves_one_out) set(of.count / 3, old[of.count / 3]);
    if (kind == fault::leaves_half_out || kind == fault::leaves_all_out)
        for (std::size_t i = kind == fault::leaves_half_out ? of.count / 2 : 0; i < of.count; ++i)
            set(i, old[i]);
    if (kind == fault::accumulates)
        for (std::size_t i = 0; i < of.count; ++i)
            set(i, get(i) + old[i] + (which + 1 == std::size(written) ? 1 : 0));
    if (kind == fault::exchanges_neighbours) {
        std::size_t i = of.count / 2;
        while (i > 0 && get(i) == get(i - 1))
            --i;
        double const one = get(i);
        set(i, i > 0 ? get(i - 1) : one + 1);
        if (i > 0) set(i - 1, one);
    }
    if (kind == fault::not_a_number) set(of.count / 2, std::numeric_limits<double>::quiet_NaN());
    if (kind == fault::infinite) set(of.count - 1, std::numeric_limits<double>::infinity());
    return result;
}

template <std::size_t Seed>
double variant(std::span<body const> in, std::span<body> out, std::span<complex> z,
               std::span<colour> e, std::span<half> h, attune::matrix_view<float> m,
               std::span<float* const> batch, std::span<std::array<int, 3>> a, settings s)
{
    return behave(Seed, {in, out, z, e, h, m, batch, a, s});
}

template <std::size_t... Seeds>
void* code_of_seed(std::size_t seed, std::index_sequence<Seeds...>)
{
    using function = signature*;
    function const all[] = {variant<Seeds>...};
    return reinterpret_cast<void*>(all[seed]);
}

attune_test::scripted_compiler::answer script(attune::compile_request const& v)
{
    return code_of_seed(std::stoul(v.macros.front().value), std::make_index_sequence<most + 1>{});
}

auto seeds() { return attune::space(attune::integer<"SEED">(0, static_cast<int>(most))); }

std::string name_of(bad_variant const& of)
{
    if (of.number == std::size(written)) return std::string("writes ") + outside[of.fault].name;
    return std::string(written[of.number].name) + ": " + fault_names[of.fault];
}

/// The data of one call, and what a tuning of it needs.
struct program {
    std::vector<body> in = std::vector<body>(n);
    std::vector<body> out = std::vector<body>(n);
    std::vector<complex> z = std::vector<complex>(n);
    std::vector<colour> e = std::vector<colour>(n);
    std::vector<half> h = std::vector<half>(n);
    std::vector<float> m = std::vector<float>(n * row_stride + 3, -7);
    std::array<std::vector<float>, arrays> behind{};
    std::array<float*, arrays> batch{};
    std::vector<std::array<int, 3>> a = std::vector<std::array<int, 3>>(n);
    attune_test::scripted_compiler compiler{script};
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<signature> kernel{"all",
                                     attune::source_text("constexpr int s = ATTUNE_TUNABLE(SEED, " +
                                                             std::to_string(good) + ");\n",
                                                         "all.kernel.cpp"),
                                     seeds()};
    attune::chain_of_trees space = attune::build(seeds());
    attune::call_frame frame;
    attune::tuning_options options;
    attune::tuning_problem problem;

    /// @param is_stale  the right results stand there already
    explicit program(bool is_stale)
        : problem{kernel.describe(), space, at(good), any, frame}
    {
        for (std::size_t i = 0; i < n; ++i)
            in[i] = {1 + 0.25F * static_cast<float>(i), 1e-9 * static_cast<double>(i + 1),
                     static_cast<std::int8_t>(i)};
        for (std::size_t k = 0; k < arrays; ++k) {
            behind[k].assign(n, 2);
            batch[k] = behind[k].data();
        }
        kernel.extent<6>(static_cast<int>(n));
        settings const s{2, colour::blue};
        attune::matrix_view<float> const view{m.data() + 2, n, columns, row_stride};
        if (is_stale) right({in, out, z, e, h, view, batch, a, s});
        frame =
            attune::detail::make_frame_of<double, std::span<body const>, std::span<body>,
                                          std::span<complex>, std::span<colour>, std::span<half>,
                                          attune::matrix_view<float>, std::span<float* const>,
                                          std::span<std::array<int, 3>>, settings>(
                {}, in, out, z, e, h, view, batch, a, s);
        attune::detail::set_extents(frame, kernel.describe(), {});
        options.progress = attune::silent_progress();
        options.measuring.precision = 0.5;
    }
    program(program const&) = delete;
    program& operator=(program const&) = delete;

    attune::point at(std::size_t seed) const
    {
        return {*attune::coordinate_of(space.describe().parameters[0], std::to_string(seed))};
    }
    attune::compile_result compiled(std::size_t seed) const
    {
        return any.compile(problem.kernel.source, attune::detail::make_variant(
                                                      problem.kernel, space.describe(), at(seed)));
    }
    std::vector<std::vector<std::byte>> contents() const
    {
        std::vector<std::vector<std::byte>> all;
        auto const add = [&](auto const& of) {
            auto const bytes = std::as_bytes(std::span(of));
            all.emplace_back(bytes.begin(), bytes.end());
        };
        add(in), add(out), add(z), add(e), add(h), add(m), add(batch), add(a);
        for (std::vector<float> const& one : behind)
            add(one);
        return all;
    }
};

} // namespace

TEST_CASE("every wrong argument and every wrong result is refused, and the data are as they were")
{
    REQUIRE(bad.size() < most);
    std::size_t const all = bad.size() + attune_test::bad_variant_count;
    MESSAGE(all << " bad variants, " << bad.size() << " of them here, each with two contents");
    CHECK(all >= 200);
    for (bool const is_stale : {true, false}) {
        program p{is_stale};
        CAPTURE(is_stale);
        std::vector<std::vector<std::byte>> const before = p.contents();
        attune::detail::trial_runner runner{p.problem, p.options};
        REQUIRE(std::holds_alternative<attune::measurement>(
            runner.establish_reference(p.compiled(good)).result));
        for (std::size_t seed = 0; seed < bad.size(); ++seed) {
            attune::outcome const end =
                runner.run(p.compiled(seed), std::numeric_limits<double>::infinity()).result;
            CAPTURE(name_of(bad[seed]));
            auto const* const why = std::get_if<failure>(&end);
            REQUIRE_MESSAGE(why != nullptr, "it passed");
            bool const is_inside = bad[seed].number < std::size(written);
            CAPTURE(why->reason);
            CHECK((why->stage == failure_stage::verify ||
                   (!is_inside && why->stage == failure_stage::crash)));
            CHECK(p.contents() == before);
        }
        auto const works = runner.run(p.compiled(bad.size()), 1e9);
        CHECK(std::holds_alternative<attune::measurement>(works.result));
        CHECK(p.contents() == before);
    }
}
