// Adds to 256 counts how often each number from 0 to 255 occurs. A block counts in copies of its
// own in shared memory, so that fewer threads meet at a word.
#include <attune/tunable.hpp>

constexpr int block_x = ATTUNE_TUNABLE(BLOCK_X, 256); // threads
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);           // numbers of one load
constexpr int items = ATTUNE_TUNABLE(ITEMS, 1);       // loads in flight
constexpr int copies = ATTUNE_TUNABLE(COPIES, 1); // of the counts; 0: none, count in global memory
constexpr bool by_copy =
    ATTUNE_TUNABLE(BY_COPY, true);          // a copy's counts are neighbours, else a number's
constexpr int pad = ATTUNE_TUNABLE(PAD, 0); // words between neighbours
constexpr bool merged = ATTUNE_TUNABLE(MERGED, false); // a run of equal numbers is added at once
static_assert(ATTUNE_TUNABLE(BLOCKS, 64) > 0, "the grid is declared beside the parameters");

constexpr int bins = 256;
constexpr int step = by_copy ? bins + pad : copies + pad; // from one copy, or number, to the next
constexpr int words = by_copy ? step * copies : step * bins;

struct alignas(sizeof(int) * vec) pack_t { // one load or store of the device
    int v[vec];
};

extern "C" __global__ void __launch_bounds__(block_x)
    histogram(int const* __restrict__ values, int* counts, int n)
{
    __shared__ int own[copies > 0 ? words : 1];
    if (copies > 0) {
        for (int i = threadIdx.x; i < words; i += block_x)
            own[i] = 0;
        __syncthreads();
    }
    // Neighbouring lanes count in different copies.
    int const copy = copies > 0 ? threadIdx.x % (copies > 0 ? copies : 1) : 0;
    auto const add = [&](int bin, int times) {
        if (copies == 0)
            atomicAdd(counts + bin, times);
        else
            atomicAdd(own + (by_copy ? copy * step + bin : bin * step + copy), times);
    };

    int const packs = n / vec; // n is a multiple of vec
    int const stride = gridDim.x * block_x;
    auto const* const all = reinterpret_cast<pack_t const*>(values);
    int last = 0;
    int times = 0;
    auto const count = [&](int bin) {
        if (!merged) {
            add(bin, 1);
        } else if (bin == last) {
            ++times;
        } else {
            if (times > 0) add(last, times);
            last = bin;
            times = 1;
        }
    };
    int i = blockIdx.x * block_x + threadIdx.x;
    for (; i + (items - 1) * stride < packs; i += items * stride) {
        pack_t loaded[items];
#pragma unroll
        for (int k = 0; k < items; ++k)
            loaded[k] = all[i + k * stride];
#pragma unroll
        for (int k = 0; k < items; ++k)
#pragma unroll
            for (int v = 0; v < vec; ++v)
                count(loaded[k].v[v]);
    }
    for (; i < packs; i += stride) {
        pack_t const loaded = all[i];
#pragma unroll
        for (int v = 0; v < vec; ++v)
            count(loaded.v[v]);
    }
    if (merged && times > 0) add(last, times);

    if (copies == 0) return;
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += block_x) {
        int sum = 0;
#pragma unroll
        for (int c = 0; c < copies; ++c)
            sum += own[by_copy ? c * step + bin : bin * step + c];
        if (sum > 0) atomicAdd(counts + bin, sum);
    }
}
