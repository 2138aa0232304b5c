// Kernel fill. Do not edit: attune_bake wrote it.
#include <attune/ship/baked/baked_code.hpp>

#define ATTUNE_COMPILES_VARIANT 2
#define TILE 8
#define ATTUNE_VALUE_TILE 8
#include "fill.kernel.cpp"

#line 1 "attune_bake of fill.kernel.cpp"
namespace {
using attune_baked_type =
    attune::detail::baked_function<decltype(&::fill)>::type;
} // namespace

attune::detail::baked_code attune_baked_fill_0_base() noexcept;
attune::detail::baked_code attune_baked_fill_0_base() noexcept
{
    return reinterpret_cast<attune::detail::baked_code>(
        static_cast<attune_baked_type*>(&::fill));
}
