// attune/space/conditions/domain.hpp - the remaining values of a parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The values of a parameter that may be part of a valid configuration.
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
    /// The i-th remaining value, as an index into the parameter's table; ascending in i.
    [[nodiscard]] std::uint32_t value(std::uint32_t i) const noexcept
    {
        return filtered_ ? kept_[i] : i;
    }
    [[nodiscard]] bool is_whole() const noexcept { return !filtered_; }
    /// Keeps the i-th remaining value if `keep[i]`.
    void filter(std::vector<bool> const& keep)
    {
        std::vector<std::uint32_t> kept; // exact capacity: a range may be long
        kept.reserve(static_cast<std::size_t>(std::count(keep.begin(), keep.end(), true)));
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

/// Every discrete parameter at its first remaining value, every real one at its lower end.
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

/// The parameters in the scope of `c` with more than one remaining value.
inline std::vector<std::uint32_t> open_scope(condition const& c, std::vector<domain> const& domains)
{
    std::vector<std::uint32_t> open;
    for (std::uint32_t const p : c.scope)
        if (domains[p].size() > 1) open.push_back(p);
    return open;
}

} // namespace attune::inline ATTUNE_ABI::detail
