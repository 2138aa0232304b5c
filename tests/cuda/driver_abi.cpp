// What driver.hpp says of the driver's functions, types and numbers is what cuda.h says, where the
// toolkit is installed.
#include <attune/cuda/driver.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <type_traits>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace {

namespace cuda = attune::detail::cuda;

/// Whether a value of one type can be passed where the other is expected: two pointers, or two
/// objects of one size that travel alike.
template <class A, class B>
constexpr bool travels_alike()
{
    if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>)
        return std::is_pointer_v<A> && std::is_pointer_v<B>;
    else
        return sizeof(A) == sizeof(B) && alignof(A) == alignof(B) &&
               std::is_class_v<A> == std::is_class_v<B> &&
               std::is_floating_point_v<A> == std::is_floating_point_v<B>;
}

template <class Ours, class Theirs>
struct calls_alike : std::false_type {};
template <class... Ours, class... Theirs>
    requires(sizeof...(Ours) == sizeof...(Theirs))
struct calls_alike<cuda::result (*)(Ours...), CUresult (*)(Theirs...)>
    : std::bool_constant<(travels_alike<Ours, Theirs>() && ...)> {};

template <auto Member>
struct member_type;
template <class T, T cuda::driver::* Member>
struct member_type<Member> {
    using type = T;
};

#define ATTUNE_SAME_CALL(ours, theirs)                                                             \
    static_assert(calls_alike<member_type<&cuda::driver::ours>::type, decltype(&theirs)>::value)
ATTUNE_SAME_CALL(init, cuInit);
ATTUNE_SAME_CALL(driver_get_version, cuDriverGetVersion);
ATTUNE_SAME_CALL(get_error_name, cuGetErrorName);
ATTUNE_SAME_CALL(get_error_string, cuGetErrorString);
ATTUNE_SAME_CALL(device_get_count, cuDeviceGetCount);
ATTUNE_SAME_CALL(device_get, cuDeviceGet);
ATTUNE_SAME_CALL(device_get_name, cuDeviceGetName);
ATTUNE_SAME_CALL(device_get_attribute, cuDeviceGetAttribute);
ATTUNE_SAME_CALL(device_total_mem, cuDeviceTotalMem);
ATTUNE_SAME_CALL(device_get_pci_bus_id, cuDeviceGetPCIBusId);
ATTUNE_SAME_CALL(primary_context_retain, cuDevicePrimaryCtxRetain);
ATTUNE_SAME_CALL(primary_context_release, cuDevicePrimaryCtxRelease);
ATTUNE_SAME_CALL(context_get_current, cuCtxGetCurrent);
ATTUNE_SAME_CALL(context_set_current, cuCtxSetCurrent);
ATTUNE_SAME_CALL(context_get_device, cuCtxGetDevice);
ATTUNE_SAME_CALL(context_synchronize, cuCtxSynchronize);
ATTUNE_SAME_CALL(module_load_data, cuModuleLoadData);
ATTUNE_SAME_CALL(module_unload, cuModuleUnload);
ATTUNE_SAME_CALL(module_get_function, cuModuleGetFunction);
ATTUNE_SAME_CALL(function_set_attribute, cuFuncSetAttribute);
ATTUNE_SAME_CALL(launch_kernel, cuLaunchKernel);
ATTUNE_SAME_CALL(launch_kernel_ex, cuLaunchKernelEx);
ATTUNE_SAME_CALL(memory_allocate, cuMemAlloc);
ATTUNE_SAME_CALL(memory_free, cuMemFree);
ATTUNE_SAME_CALL(memory_get_info, cuMemGetInfo);
ATTUNE_SAME_CALL(memory_get_address_range, cuMemGetAddressRange);
ATTUNE_SAME_CALL(pointer_get_attribute, cuPointerGetAttribute);
ATTUNE_SAME_CALL(copy_to_device, cuMemcpyHtoD);
ATTUNE_SAME_CALL(copy_to_host, cuMemcpyDtoH);
ATTUNE_SAME_CALL(copy_on_device, cuMemcpyDtoD);
ATTUNE_SAME_CALL(copy_on_device_async, cuMemcpyDtoDAsync);
ATTUNE_SAME_CALL(set_bytes_async, cuMemsetD8Async);
ATTUNE_SAME_CALL(ipc_get_memory, cuIpcGetMemHandle);
ATTUNE_SAME_CALL(ipc_open_memory, cuIpcOpenMemHandle);
ATTUNE_SAME_CALL(ipc_close_memory, cuIpcCloseMemHandle);
ATTUNE_SAME_CALL(stream_create, cuStreamCreate);
ATTUNE_SAME_CALL(stream_destroy, cuStreamDestroy);
ATTUNE_SAME_CALL(stream_synchronize, cuStreamSynchronize);
ATTUNE_SAME_CALL(event_create, cuEventCreate);
ATTUNE_SAME_CALL(event_destroy, cuEventDestroy);
ATTUNE_SAME_CALL(event_record, cuEventRecord);
ATTUNE_SAME_CALL(event_query, cuEventQuery);
ATTUNE_SAME_CALL(event_elapsed_ms, cuEventElapsedTime);
ATTUNE_SAME_CALL(exchange_capture_mode, cuThreadExchangeStreamCaptureMode);
ATTUNE_SAME_CALL(stream_begin_capture, cuStreamBeginCapture);
ATTUNE_SAME_CALL(stream_is_capturing, cuStreamIsCapturing);
ATTUNE_SAME_CALL(stream_end_capture, cuStreamEndCapture);
ATTUNE_SAME_CALL(graph_instantiate, cuGraphInstantiateWithFlags);
ATTUNE_SAME_CALL(graph_launch, cuGraphLaunch);
ATTUNE_SAME_CALL(executable_graph_destroy, cuGraphExecDestroy);
ATTUNE_SAME_CALL(graph_destroy, cuGraphDestroy);
#undef ATTUNE_SAME_CALL

static_assert(sizeof(cuda::launch_config) == sizeof(CUlaunchConfig));
static_assert(offsetof(cuda::launch_config, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(cuda::launch_config, shared_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(cuda::launch_config, on) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cuda::launch_config, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(cuda::launch_config, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(cuda::launch_attribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(cuda::launch_attribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(cuda::ipc_handle) == sizeof(CUipcMemHandle));

} // namespace

TEST_CASE("the driver's numbers are those of cuda.h")
{
    using attune::detail::cuda::result;
    auto const same = [](int ours, int theirs) { CHECK(ours == theirs); };
    same(cuda::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
    same(cuda::no_device, CUDA_ERROR_NO_DEVICE);
    same(cuda::invalid_device, CUDA_ERROR_INVALID_DEVICE);
    same(cuda::no_binary_for_device, CUDA_ERROR_NO_BINARY_FOR_GPU);
    same(cuda::not_ready, CUDA_ERROR_NOT_READY);
    same(cuda::illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
    same(cuda::launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT);
    same(cuda::assertion_failed, CUDA_ERROR_ASSERT);
    same(cuda::illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
    same(cuda::misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS);
    same(cuda::launch_failed, CUDA_ERROR_LAUNCH_FAILED);
    same(cuda::capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    same(cuda::capture_implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    same(cuda::driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);

    using namespace cuda;
    same(of_device::threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    same(of_device::block_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    same(of_device::grid_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    same(of_device::shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    same(of_device::warp_threads, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    same(of_device::registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    same(of_device::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    same(of_device::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    same(of_device::capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    same(of_device::capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    same(of_device::can_cooperate, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
    same(of_device::shared_bytes_opt_in, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    same(of_device::blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    same(of_device::shared_bytes_reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    same(of_device::can_form_clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    same(of_function::dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    same(of_pointer::memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
    same(of_pointer::is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED);
    same(of_pointer::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
    same(of_pointer::is_legacy_ipc_capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);
    same(of_pointer::device_memory, CU_MEMORYTYPE_DEVICE);
    same(of_launch::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    same(of_launch::cluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    CHECK(static_cast<int>(flag::stream_non_blocking) == CU_STREAM_NON_BLOCKING);
    CHECK(static_cast<int>(flag::ipc_enable_peer_access) == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    CHECK(static_cast<int>(flag::capture_relaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);
}

#else

TEST_CASE("the driver's numbers are those of cuda.h")
{
    MESSAGE("skipped: cuda.h was not found when this was built");
}

#endif
