// 26 - two objectives: the fastest within a bound on the error, then the best trade-offs.
// Shows attune::evaluation, attune::at_most and attune::minimize_two.
// Needs no compiler. Takes a second.
#include <attune/attune.hpp>
#include <attune/tune/minimize_two.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

inline constexpr auto terms = attune::ordinal<"TERMS">(attune::range(1, 8));
inline constexpr auto halvings = attune::ordinal<"HALVINGS">(attune::range(0, 5));
inline constexpr auto bits = attune::ordinal<"BITS">(attune::range(8, 24));
inline constexpr auto space = attune::space(terms, halvings, bits);

// The value with `kept` bits behind the point, as in fixed-point arithmetic.
static double rounded(double value, int kept)
{
    return std::ldexp(std::round(std::ldexp(value, kept)), -kept);
}

// The largest error of a cosine: its series at x / 2^halvings, doubled back by 2 c^2 - 1.
static double error_of(auto const& config)
{
    double worst = 0;
    for (int i = 0; i <= 64; ++i) {
        double const x = i * std::numbers::pi / 64;
        double const y = std::ldexp(x, -config[halvings]);
        double term = 1;
        double sum = 1;
        for (int k = 1; k < config[terms]; ++k)
            sum += term = rounded(-term * y * y / ((2 * k - 1) * (2 * k)), config[bits]);
        for (int h = 0; h < config[halvings]; ++h)
            sum = rounded(2 * sum * sum - 1, config[bits]);
        worst = std::max(worst, std::abs(sum - std::cos(x)));
    }
    return worst;
}

// Gates: the square of a multiplier's bits, for each multiplication.
static double gates_of(auto const& config)
{
    return config[bits] * config[bits] * (2.0 * (config[terms] - 1) + config[halvings] + 1);
}

int main()
{
    // The fewest gates with an error of at most 1e-3. A configuration beyond the bound is never the
    // best; a model of the error predicts where the bound is kept.
    attune::minimize_options options{.seed = 1, .progress = attune::silent_progress()};
    options.bounds = {attune::at_most("error", 1e-3)};
    auto const measure = [](auto const& config) {
        return attune::evaluation{gates_of(config), {{"error", error_of(config)}}};
    };
    auto const best = attune::minimize(space, measure, {.evaluations = 60}, options);
    if (best.best)
        std::printf("error <= 1e-3: %.0f gates, error %.1e\n", best.value,
                    best.quantities[0].value);

    // No configuration keeps this bound: a sentence says so.
    options.bounds = {attune::at_most("error", 1e-12)};
    auto const none = attune::minimize(space, measure, {.evaluations = 20}, options);
    std::printf("%s\n", none.shortfall.c_str());

    // The whole trade-off: for each number of gates the least error that was found.
    auto const both = [](auto const& config) {
        return attune::two_values{gates_of(config), std::log10(error_of(config))};
    };
    auto const found = attune::minimize_two(space, both, {.evaluations = 80},
                                            {.seed = 1, .progress = attune::silent_progress()});
    std::printf("%s trade-offs, from %.0f gates on\n", found.front.size() > 5 ? "many" : "few",
                found.front.front().values[0]);
}
// prints:
// error <= 1e-3: # gates, error #
// no configuration keeps error <= 1e-12: the nearest has error *
// many trade-offs, from # gates on
