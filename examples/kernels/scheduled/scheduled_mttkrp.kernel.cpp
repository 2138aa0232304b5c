// A(i,r) = sum over k, l, m of B(i,k,l,m) C(k,r) D(l,r) E(m,r) for a fourth-order sparse B whose
// slices are compressed, by a schedule of six loops.
#include <span>

#include "loop_nest.hpp"

void scheduled_mttkrp(std::span<int const> start, std::span<int const> k_of,
                      std::span<int const> l_of, std::span<int const> m_of,
                      std::span<float const> value, std::span<float const> c,
                      std::span<float const> d, std::span<float const> e, std::span<float> a,
                      int rank)
{
    std::fill(a.begin(), a.end(), 0.0f);
    int const *const ks = k_of.data(), *const ls = l_of.data(), *const ms = m_of.data();
    float const* const values = value.data();
    float const *const cs = c.data(), *const ds = d.data(), *const es = e.data();
    float* __restrict const to = a.data();
    nest<0>(start.data(), static_cast<int>(start.size()) - 1, rank, {}, [=](int i, int p, int r) {
        to[i * rank + r] +=
            values[p] * cs[ks[p] * rank + r] * ds[ls[p] * rank + r] * es[ms[p] * rank + r];
    });
}
