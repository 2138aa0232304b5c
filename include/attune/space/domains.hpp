// attune/space/domains.hpp - which values of a parameter are possible at all.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> [space] -> search -> compile -> measure -> remember
// In       a bound description and its conditions over discrete parameters
// Out      domains without values that can never be valid; fewer conditions
// Source   own: generalised arc consistency, a condition at a time, for conditions with few
// settings Depends  std only Tests    tests/space/domains.cpp
#pragma once

#include <attune/declare/description.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/conditions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune {

/// The values of a parameter that may still be part of a valid configuration.
class domain {
public:
    explicit domain(std::uint32_t count = 0) noexcept
        : count_(count)
    {
    }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return filtered_ ? static_cast<std::uint32_t>(kept_.size()) : count_;
    }
    /// The i-th value left, as an index into the parameter's table; ascending in i.
    [[nodiscard]] std::uint32_t value(std::uint32_t i) const noexcept
    {
        return filtered_ ? kept_[i] : i;
    }
    [[nodiscard]] bool is_whole() const noexcept { return !filtered_; }
    /// Keeps the i-th value left where `keep[i]`.
    void filter(std::vector<bool> const& keep)
    {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 0; i < size(); ++i)
            if (keep[i]) kept.push_back(value(i));
        if (kept.size() == size()) return;
        kept_ = std::move(kept);
        filtered_ = true;
    }

private:
    std::uint32_t count_;
    bool filtered_ = false;
    std::vector<std::uint32_t> kept_;
};

namespace detail {

/// Counts up the settings of some parameters, the last one fastest.
class odometer {
public:
    odometer(std::vector<std::uint32_t> const& parameters, std::vector<domain> const& domains)
        : parameters_(parameters)
        , domains_(domains)
        , digits_(parameters.size(), 0)
    {
    }
    void write(point& at) const
    {
        for (std::size_t k = 0; k < digits_.size(); ++k)
            at[parameters_[k]].index = domains_[parameters_[k]].value(digits_[k]);
    }
    [[nodiscard]] bool advance()
    {
        for (std::size_t k = digits_.size(); k-- > 0;) {
            if (++digits_[k] < domains_[parameters_[k]].size()) return true;
            digits_[k] = 0;
        }
        return false;
    }
    [[nodiscard]] std::vector<std::uint32_t> const& digits() const noexcept { return digits_; }

private:
    std::vector<std::uint32_t> const& parameters_;
    std::vector<domain> const& domains_;
    std::vector<std::uint32_t> digits_;
};

/// Every discrete parameter at its first value left, every real one at its lower end.
inline point first_values(description const& space, std::vector<domain> const& domains)
{
    point at(space.parameters.size());
    for (std::size_t i = 0; i < at.size(); ++i)
        if (domains[i].size() > 0)
            at[i].index = domains[i].value(0);
        else
            at[i].real = space.parameters[i].low;
    return at;
}

/// The parameters in the scope of `c` that still have a choice.
inline std::vector<std::uint32_t> open_scope(condition const& c, std::vector<domain> const& domains)
{
    std::vector<std::uint32_t> open;
    for (std::uint32_t const p : c.scope)
        if (domains[p].size() > 1) open.push_back(p);
    return open;
}

/// Settings of `parameters` when there are few enough to enumerate; else nothing.
inline std::optional<std::uint64_t> few_settings(std::vector<std::uint32_t> const& parameters,
                                                 std::vector<domain> const& domains,
                                                 enumeration_limits const& limits)
{
    std::uint64_t product = 1;
    bool wide = false;
    for (std::uint32_t const p : parameters) {
        if (__builtin_mul_overflow(product, std::uint64_t{domains[p].size()}, &product)) return {};
        wide = wide || domains[p].size() >= limits.wide_values;
    }
    std::uint64_t const limit = wide ? limits.wide_settings : limits.settings;
    return product <= limit ? std::optional(product) : std::nullopt;
}

enum class verdict { always, never, sometimes };

/// Tests `c` on every setting of `scope` that `others`, which read no more than it, allow; drops
/// values that are in no good setting.
inline verdict enumerate(description const& space,
                         condition const& c,
                         std::vector<condition const*> const& others,
                         std::vector<std::uint32_t> const& scope,
                         std::vector<domain>& domains)
{
    std::vector<std::vector<bool>> support(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k)
        support[k].assign(domains[scope[k]].size(), false);
    point at = first_values(space, domains);
    odometer settings(scope, domains);
    std::uint64_t supported = 0;
    bool all = true;
    do {
        settings.write(at);
        bool const allowed = std::all_of(
            others.begin(), others.end(), [&](condition const* o) { return holds(space, *o, at); });
        if (!allowed) continue;
        bool const good = holds(space, c, at);
        all = all && good;
        if (!good) continue;
        ++supported;
        for (std::size_t k = 0; k < scope.size(); ++k)
            support[k][settings.digits()[k]] = true;
    } while (settings.advance());
    if (supported == 0) return verdict::never;
    std::uint64_t left = 1;
    for (std::size_t k = 0; k < scope.size(); ++k) {
        domains[scope[k]].filter(support[k]);
        left *= domains[scope[k]].size();
    }
    return all || supported == left ? verdict::always : verdict::sometimes;
}

/// Enumerates conditions, the one with the fewest settings first, until domains shrink no more.
/// Erases those that then hold always. @return false when one can never hold
inline bool filter_domains(description const& space,
                           std::vector<condition>& conditions,
                           std::vector<domain>& domains,
                           enumeration_limits const& limits)
{
    std::vector<std::uint64_t> done(conditions.size(), 0); // settings when last enumerated
    for (;;) {
        std::size_t next = conditions.size();
        std::uint64_t fewest = 0;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            auto const settings = few_settings(open_scope(conditions[i], domains), domains, limits);
            if (!settings || *settings == done[i]) continue;
            if (next < conditions.size() && *settings >= fewest) continue;
            next = i;
            fewest = *settings;
        }
        if (next == conditions.size()) return true;
        std::vector<std::uint32_t> const scope = open_scope(conditions[next], domains);
        std::vector<condition const*> others;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            std::vector<std::uint32_t> const reads = open_scope(conditions[i], domains);
            if (i != next && std::includes(scope.begin(), scope.end(), reads.begin(), reads.end()))
                others.push_back(&conditions[i]);
        }
        switch (enumerate(space, conditions[next], others, scope, domains)) {
        case verdict::never:
            return false;
        case verdict::sometimes:
            done[next] =
                few_settings(open_scope(conditions[next], domains), domains, limits).value_or(0);
            break;
        case verdict::always:
            conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(next));
            done.erase(done.begin() + static_cast<std::ptrdiff_t>(next));
            break;
        }
    }
}

} // namespace detail

} // namespace attune
