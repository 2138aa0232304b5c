// tests/emulated_cuda/include/cooperative_groups.h - the groups of the emulated device: grid and cluster.
// SPDX-License-Identifier: MIT
#pragma once

namespace cooperative_groups {

class grid_group {
public:
    void sync() const
    {
        attune_emulated_machine->barrier(attune_emulated::barrier_kind::grid);
    }
};
inline grid_group this_grid() { return {}; }

class cluster_group {
public:
    void sync() const
    {
        attune_emulated_machine->barrier(attune_emulated::barrier_kind::cluster);
    }
};
inline cluster_group this_cluster() { return {}; }

} // namespace cooperative_groups
