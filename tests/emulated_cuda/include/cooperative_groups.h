// tests/emulated_cuda/include/cooperative_groups.h - the groups of the emulated device: grid,
// cluster, block and tiles of a warp.
// SPDX-License-Identifier: MIT
#pragma once

namespace cooperative_groups {

class grid_group {
public:
    void sync() const
    {
        attune_emulated_machine->barrier(attune_emulated::barrier_kind::grid, 0);
    }
    unsigned long long num_threads() const
    {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z * blockDim.x *
               blockDim.y * blockDim.z;
    }
    unsigned long long thread_rank() const
    {
        unsigned long long const block =
            blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                             (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
        return block * blockDim.x * blockDim.y * blockDim.z + attune_emulated_place->number;
    }
};
inline grid_group this_grid() { return {}; }

class cluster_group {
public:
    void sync() const
    {
        attune_emulated_machine->barrier(attune_emulated::barrier_kind::cluster, 0);
    }
    unsigned num_blocks() const
    {
        auto const c = attune_emulated_place->cluster;
        return c.x * c.y * c.z;
    }
};
inline cluster_group this_cluster() { return {}; }

class thread_block {
public:
    void sync() const { __syncthreads(); }
    unsigned thread_rank() const { return attune_emulated_place->number; }
    unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
};
inline thread_block this_thread_block() { return {}; }

/// `Size` neighbouring lanes, a power of two up to 32.
template <unsigned Size>
class thread_block_tile {
public:
    void sync() const { __syncwarp(mask()); }
    unsigned thread_rank() const { return attune_emulated::lane() % Size; }
    unsigned size() const { return Size; }
    template <class T>
    T shfl(T value, int source) const
    {
        return __shfl_sync(mask(), value, source, Size);
    }
    template <class T>
    T shfl_down(T value, unsigned delta) const
    {
        return __shfl_down_sync(mask(), value, delta, Size);
    }
    template <class T>
    T shfl_xor(T value, int lanes) const
    {
        return __shfl_xor_sync(mask(), value, lanes, Size);
    }

private:
    unsigned mask() const
    {
        unsigned const all = Size == 32 ? 0xffffffffU : (1U << Size % 32) - 1;
        return all << attune_emulated::lane() / Size * Size;
    }
};
template <unsigned Size>
thread_block_tile<Size> tiled_partition(thread_block const&)
{
    return {};
}

} // namespace cooperative_groups
