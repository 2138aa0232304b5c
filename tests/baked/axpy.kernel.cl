// y += a * x: BLOCK work-items of a group, VEC elements of a work-item.
#include <attune/tunable.hpp>

kernel void axpy(global float const* x, global float* y, float a, int n)
{
    int const block = ATTUNE_TUNABLE(BLOCK, 64);
    int const vec = ATTUNE_TUNABLE(VEC, 1);
    int const first = get_group_id(0) * block * vec + get_local_id(0);
    for (int k = 0; k < vec; ++k) {
        int const i = first + k * block;
        if (i < n) y[i] += a * x[i];
    }
}
