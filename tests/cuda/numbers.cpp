// tests/cuda/numbers.cpp : mirrors include/attune/cuda/numbers.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/cuda/numbers.hpp>

#include <doctest/doctest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace device = attune::detail::cuda::of_device;
namespace kernel = attune::detail::cuda::of_function;
namespace pointer = attune::detail::cuda::of_pointer;
namespace launch = attune::detail::cuda::of_launch;
namespace flag = attune::detail::cuda::flag;

TEST_CASE("every number is that of cuda.h")
{
    CHECK(device::threads_per_block == int{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK});
    CHECK(device::block_x == int{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X});
    CHECK(device::block_y == int{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y});
    CHECK(device::block_z == int{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z});
    CHECK(device::grid_x == int{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X});
    CHECK(device::grid_y == int{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y});
    CHECK(device::grid_z == int{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z});
    CHECK(device::shared_bytes_per_block == int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK});
    CHECK(device::warp_threads == int{CU_DEVICE_ATTRIBUTE_WARP_SIZE});
    CHECK(device::registers_per_block == int{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK});
    CHECK(device::multiprocessors == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
    CHECK(device::l2_bytes == int{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE});
    CHECK(device::threads_per_multiprocessor ==
          int{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR});
    CHECK(device::capability_major == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
    CHECK(device::capability_minor == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
    CHECK(device::shared_bytes_per_multiprocessor ==
          int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR});
    CHECK(device::registers_per_multiprocessor ==
          int{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR});
    CHECK(device::can_cooperate == int{CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH});
    CHECK(device::shared_bytes_opt_in ==
          int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN});
    CHECK(device::blocks_per_multiprocessor ==
          int{CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR});
    CHECK(device::shared_bytes_reserved ==
          int{CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK});
    CHECK(device::can_form_clusters == int{CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH});
#if CUDA_VERSION >= 13000
    CHECK(device::is_shared_by_mps == int{CU_DEVICE_ATTRIBUTE_MPS_ENABLED});
#endif

    CHECK(kernel::dynamic_shared_bytes == int{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES});

    CHECK(pointer::memory_type == int{CU_POINTER_ATTRIBUTE_MEMORY_TYPE});
    CHECK(pointer::is_managed == int{CU_POINTER_ATTRIBUTE_IS_MANAGED});
    CHECK(pointer::device_ordinal == int{CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL});
    CHECK(pointer::host_memory == int{CU_MEMORYTYPE_HOST});
    CHECK(pointer::device_memory == int{CU_MEMORYTYPE_DEVICE});

    CHECK(launch::cooperative == int{CU_LAUNCH_ATTRIBUTE_COOPERATIVE});
    CHECK(launch::cluster == int{CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION});

    CHECK(flag::stream_non_blocking == unsigned{CU_STREAM_NON_BLOCKING});
    CHECK(flag::ipc_enable_peer_access == unsigned{CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS});
    CHECK(flag::capture_this_thread == int{CU_STREAM_CAPTURE_MODE_THREAD_LOCAL});
    CHECK(flag::capture_relaxed == int{CU_STREAM_CAPTURE_MODE_RELAXED});
}

#else

TEST_CASE("every number is that of cuda.h") { MESSAGE("skipped: no cuda.h here"); }

#endif
