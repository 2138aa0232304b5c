// Kernel fill. Do not edit: attune_bake wrote it.
#include <attune/ship/baked/baked_table.hpp>

#include "fill.kernel.cpp"

#line 1 "attune_bake of fill.kernel.cpp"
namespace {
using attune_baked_type =
    attune::detail::baked_function<decltype(&::fill)>::type;
} // namespace

attune::detail::baked_code attune_baked_fill_default() noexcept;
attune::detail::baked_code attune_baked_fill_default() noexcept
{
    return reinterpret_cast<attune::detail::baked_code>(
        static_cast<attune_baked_type*>(&::fill));
}

attune::detail::baked_table const& attune_baked_fill_table() noexcept;

namespace attune::inline ATTUNE_ABI::detail {

template <>
ATTUNE_BAKED_LOCAL baked_table const&
baked_table_of<"fill", ::attune_baked_type>() noexcept
{
    return ::attune_baked_fill_table();
}

} // namespace attune::inline ATTUNE_ABI::detail
