// Kernel fill. Do not edit: attune_bake wrote it.
#include <attune/ship/baked/baked_table.hpp>

attune::detail::baked_code attune_baked_fill_default() noexcept;
attune::detail::baked_code attune_baked_fill_0_base() noexcept;
attune::detail::baked_code attune_baked_fill_1_base() noexcept;
attune::detail::baked_table const& attune_baked_fill_table() noexcept;

namespace {

using namespace attune::detail;

constexpr shape_word layout[] = {
    {shape_part::elements, 0}, {shape_part::number, 1}, {shape_part::places, 1},
};
constexpr std::size_t inputs[] = {
    1,
};

// TILE=8
constexpr std::uint64_t proven_0_0[] = {
    397781675279422726u, 1095933445906422666u, 1148392046652845725u, 2288163781256337504u, 2704034780697476668u,
    2746943875193264134u, 2925771084942185433u, 2980650052593594077u, 3499827756007686784u, 3579745969138463144u,
    4132196776701735458u, 4203453405357639982u, 4528621904162674241u, 4562003957269799745u, 5449282935664702076u,
    5449516675650415190u, 5455024801664176605u, 5475118286207452158u, 6041756242083867485u, 6064879996189456576u,
    6152836090061186762u, 6726754676514665726u, 7282438661904765799u, 7291708073495781496u, 7372807545881943042u,
    7565324670934864036u, 7675444889130043652u, 8500181716119784179u, 10698339004778459827u, 11199195589874480490u,
    11609597680680543110u, 11615712538294340345u, 11736348626876075322u, 12924255129700075996u,
    13137670762875409153u, 13932391990682587980u, 15917834354186356147u, 16544851683851545390u,
    16649015265531691470u, 16806463311509216333u, 17249865696434897732u, 17405256296010090939u,
};
constexpr std::int64_t largest_0_0[] = {
    64, 64, 0,
};
constexpr baked_build builds_0[] = {
    // base: the store proves it
    {instruction_level::base, &::attune_baked_fill_0_base, baked_proof::record, proven_0_0, largest_0_0},
};
constexpr std::int64_t divisors_0[] = {
    8,
};

// TILE=16
constexpr std::uint64_t proven_1_0[] = {
    112097781710944271u, 368561998665158416u, 1148392046652845725u, 1410383603770385726u, 1884040558793816565u,
    2327354471460185044u, 2925771084942185433u, 2937403698215368142u, 3499827756007686784u, 4132196776701735458u,
    4508565390509797689u, 4528621904162674241u, 4540383359742880558u, 4947261177642700524u, 5455024801664176605u,
    6664642507408105440u, 6726754676514665726u, 7282438661904765799u, 7291708073495781496u, 7675444889130043652u,
    8028701415637810932u, 8644492126724032565u, 9698715224684029469u, 10505990116317923155u, 10698339004778459827u,
    11704275884839406476u, 12246738307923351643u, 13137670762875409153u, 13407162966633106080u,
    13932391990682587980u, 15208249884482459014u, 15917834354186356147u, 16133406880462940229u,
    16330322986625945109u, 16544851683851545390u, 16649015265531691470u, 16806463311509216333u,
    17075136498569685193u, 17378379905710935231u,
};
constexpr std::int64_t largest_1_0[] = {
    512, 512, 0,
};
constexpr baked_build builds_1[] = {
    // base: the store proves it
    {instruction_level::base, &::attune_baked_fill_1_base, baked_proof::record, proven_1_0, largest_1_0},
};
constexpr std::int64_t divisors_1[] = {
    16,
};
constexpr baked_node tree_0[] = {
    {0, 0x1.6a09e667f3bcdp+7, 1, 2}, {-1, 0x0p+0, 0, -1}, {-1, 0x0p+0, 1, -1},
};

constexpr baked_variant variants[] = {
    {"TILE=8", builds_0, divisors_0},
    {"TILE=16", builds_1, divisors_1},
};
constexpr baked_device devices[] = {
    {"AMD EPYC (25.17.1)", "AuthenticAMD", 25, 17, tree_0},
};
constexpr baked_table table{"fill",
    "TILE=4",
    &::attune_baked_fill_default, layout, inputs, {}, false, variants, devices};

} // namespace

attune::detail::baked_table const& attune_baked_fill_table() noexcept
{
    return table;
}
