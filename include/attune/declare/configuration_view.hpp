// attune/declare/configuration_view.hpp - the values of one configuration, read by parameter.
// SPDX-License-Identifier: MIT
//
// A config has the types of its whole space. This has none, so that what is given to a kernel,
// whose type has no space, can read some parameters.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/parameter.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A configuration of a space that is known at run time.
class configuration_view {
public:
    /// @pre `space` is bound, `at` is one of its points, and both outlive this object and the
    ///      strings that it gives
    /// @param read  a mark per parameter of the space, set where this object is asked for its
    ///              value; null: no marks
    configuration_view(description const& space, point const& at,
                       std::vector<bool>* read = nullptr) noexcept
        : space_(&space)
        , at_(&at)
        , read_(read)
    {
    }

    /// The value of `p`, as the type that `p` declared.
    /// Errors   attune::error: `p` is not a parameter of the space
    /// Example  unsigned const threads = at[threads_parameter];
    template <class P>
    [[nodiscard]] auto operator[](P const&) const
    {
        constexpr bool is_parameter = detail::is_parameter<P>;
        static_assert(is_parameter, "attune: configuration_view[p]: p must be a parameter");
        if constexpr (is_parameter) {
            constexpr std::size_t count = detail::group_size<typename P::domain_type>;
            std::uint32_t const found =
                count > 0 ? space_->find_group(P::name) : space_->find_parameter(P::name);
            if (found == no_index || (count > 0 && space_->groups[found].count != count))
                throw error("a parameter is read that is not in the space",
                            "parameter " + std::string(P::name),
                            "name it in attune::space(...), or do not read it");
            std::size_t const first = count > 0 ? space_->groups[found].first : found;
            for (std::size_t i = 0; read_ != nullptr && i < detail::coordinate_count<P>; ++i)
                (*read_)[first + i] = true;
            return detail::value_in<P>(*space_, first, at_->data() + first);
        }
    }

private:
    description const* space_;
    point const* at_;
    std::vector<bool>* read_;
};

} // namespace attune::inline ATTUNE_ABI
