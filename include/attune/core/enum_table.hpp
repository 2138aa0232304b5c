// attune/core/enum_table.hpp - one row of constants for each enumerator.
// SPDX-License-Identifier: MIT
//
// A table replaces a switch in each function that depends on the enumerator. A new enumerator needs
// a row in each table; a table without that row does not compile.
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// A table with a row for each enumerator of an enumeration whose values are 0 to `Last`.
///
/// @tparam Row    an aggregate whose first member, `of`, is the enumerator of the row
/// @tparam Plain  enumerators whose rows have the defaults of all other members
template <class Row, auto Last, auto... Plain>
class enum_table {
public:
    using key = decltype(Last);
    static constexpr std::size_t size = static_cast<std::size_t>(Last) + 1;

    /// @pre  one row for each other enumerator, in their order; anything else does not compile
    consteval enum_table(Row const (&rows)[size - sizeof...(Plain)])
    {
        for (std::size_t i = 0, given = 0; i < size; ++i) {
            auto const of = static_cast<key>(i);
            if (((of == Plain) || ...))
                rows_[i].of = of;
            else
                rows_[i] = rows[given++];
            if (rows_[i].of != of)
                throw "attune: a table needs one row per enumerator, in the enumerators' order";
        }
    }

    [[nodiscard]] constexpr Row const& operator[](key which) const noexcept
    {
        return rows_[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] constexpr auto begin() const noexcept { return rows_.begin(); }
    [[nodiscard]] constexpr auto end() const noexcept { return rows_.end(); }

private:
    std::array<Row, size> rows_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
