// bench/support/cublas.hpp - cuBLAS, if the machine has it: opened at run time.
// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

namespace bench {

/// The routines that rival kernels of the suite and programs, on the current context and the
/// default stream. In cuBLAS matrices are stored by columns. Its usual math mode keeps single
/// precision: cublasSgemm does not round to TF32 unless it is asked to.
class cublas {
public:
    cublas()
    {
        // A release that the driver is too old for opens, but cannot be initialised.
        for (char const* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
            if (handle_ == nullptr) open(name);
    }
    ~cublas()
    {
        if (handle_ != nullptr) destroy_(handle_);
    }
    cublas(cublas const&) = delete;
    cublas& operator=(cublas const&) = delete;

    [[nodiscard]] bool is_there() const noexcept { return handle_ != nullptr; }

    /// c = a * b for row-major n x n matrices: by columns that is c' = b' * a'.
    bool sgemm(float const* a, float const* b, float* c, int n) const
    {
        float const one = 1;
        float const zero = 0;
        return sgemm_(handle_, plain, plain, n, n, n, &one, b, n, a, n, &zero, c, n) == 0;
    }
    /// The same for halves, which tensor cores multiply and sum up in float.
    bool hgemm(void const* a, void const* b, void* c, int n) const
    {
        float const one = 1;
        float const zero = 0;
        return gemm_(handle_, plain, plain, n, n, n, &one, b, half, n, a, half, n, &zero, c, half,
                     n, sums_in_float, any_algorithm) == 0;
    }
    /// out = in', n x n.
    bool transpose(float const* in, float* out, int n) const
    {
        float const one = 1;
        float const zero = 0;
        return sgeam_(handle_, transposed, plain, n, n, &one, in, n, &zero, in, n, out, n) == 0;
    }
    /// The sum of n numbers that are not negative. @param out  on the device
    bool sum(float const* x, int n, float* out) const
    {
        set_pointer_mode_(handle_, on_device);
        bool const worked = sasum_(handle_, n, x, 1, out) == 0;
        set_pointer_mode_(handle_, on_host);
        return worked;
    }

private:
    static constexpr int plain = 0;
    static constexpr int transposed = 1;
    static constexpr int on_host = 0;
    static constexpr int on_device = 1;
    static constexpr int half = 2;           ///< CUDA_R_16F
    static constexpr int sums_in_float = 68; ///< CUBLAS_COMPUTE_32F
    static constexpr int any_algorithm = -1; ///< CUBLAS_GEMM_DEFAULT

    void open(char const* name)
    {
        library_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) return;
        is_whole_ = true;
        find(create_, "cublasCreate_v2");
        find(destroy_, "cublasDestroy_v2");
        find(sgemm_, "cublasSgemm_v2");
        find(gemm_, "cublasGemmEx");
        find(sgeam_, "cublasSgeam");
        find(sasum_, "cublasSasum_v2");
        find(set_pointer_mode_, "cublasSetPointerMode_v2");
        if (!is_whole_ || create_(&handle_) != 0) handle_ = nullptr;
    }

    template <class F>
    void find(F& out, char const* name)
    {
        out = reinterpret_cast<F>(::dlsym(library_, name));
        is_whole_ = is_whole_ && out != nullptr;
    }

    void* library_ = nullptr;
    void* handle_ = nullptr;
    bool is_whole_ = true;
    int (*create_)(void**) = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*sgemm_)(void*, int, int, int, int, int, float const*, float const*, int, float const*,
                  int, float const*, float*, int) = nullptr;
    int (*gemm_)(void*, int, int, int, int, int, void const*, void const*, int, int, void const*,
                 int, int, void const*, void*, int, int, int, int) = nullptr;
    int (*sgeam_)(void*, int, int, int, int, float const*, float const*, int, float const*,
                  float const*, int, float*, int) = nullptr;
    int (*sasum_)(void*, int, float const*, int, float*) = nullptr;
    int (*set_pointer_mode_)(void*, int) = nullptr;
};

} // namespace bench
