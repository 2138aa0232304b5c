// bench/support/cudnn.hpp - cuDNN's convolution, if the machine has it: opened at run time.
// SPDX-License-Identifier: MIT
// Source   cuDNN 9 API reference, cudnn_cnn and cudnn_graph libraries
#pragma once

#include <attune/cuda/device_array.hpp>

#include <cstddef>
#include <dlfcn.h>
#include <memory>
#include <vector>

namespace bench {

/// One convolution of NHWC or NCHW arrays on the current context and the default stream, by the
/// fastest of cuDNN's algorithms that keep the accuracy of the type: floats are multiplied as such,
/// halves are summed up in float. Filters are KRSC (NHWC) or KCRS (NCHW).
class cudnn_convolution {
public:
    struct shape {
        int batch, height, width, channels, features, taps;
    };

    /// @param is_half  elements of 16 bits, else float
    cudnn_convolution(shape const& of, bool is_half, bool is_nhwc)
    {
        for (char const* name : {"libcudnn.so.9", "libcudnn.so"})
            if (library_ == nullptr) library_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) return;
        find(create_, "cudnnCreate");
        find(create_tensor_, "cudnnCreateTensorDescriptor");
        find(create_filter_, "cudnnCreateFilterDescriptor");
        find(create_convolution_, "cudnnCreateConvolutionDescriptor");
        find(set_tensor_, "cudnnSetTensor4dDescriptor");
        find(set_filter_, "cudnnSetFilter4dDescriptor");
        find(set_convolution_, "cudnnSetConvolution2dDescriptor");
        find(set_math_, "cudnnSetConvolutionMathType");
        find(find_algorithm_, "cudnnFindConvolutionForwardAlgorithm");
        find(forward_, "cudnnConvolutionForward");
        if (!is_whole_ || create_(&handle_) != 0) return;
        int const type = is_half ? 2 : 0;
        int const format = is_nhwc ? 1 : 0;
        int const edge = of.taps / 2;
        bool const is_made =
            create_tensor_(&x_) == 0 && create_tensor_(&y_) == 0 && create_filter_(&w_) == 0 &&
            create_convolution_(&convolution_) == 0 &&
            set_tensor_(x_, format, type, of.batch, of.channels, of.height, of.width) == 0 &&
            set_tensor_(y_, format, type, of.batch, of.features, of.height, of.width) == 0 &&
            set_filter_(w_, type, format, of.features, of.channels, of.taps, of.taps) == 0 &&
            set_convolution_(convolution_, edge, edge, 1, 1, 1, 1, cross_correlation, 0) == 0 &&
            set_math_(convolution_, is_half ? with_tensor_cores : with_floats_as_such) == 0;
        if (!is_made) return;
        std::vector<performance> found(10);
        int count = 0;
        if (find_algorithm_(handle_, x_, w_, convolution_, y_, static_cast<int>(found.size()),
                            &count, found.data()) != 0)
            return;
        for (int i = 0; i < count && algorithm_ < 0; ++i) {
            performance const& one = found[static_cast<std::size_t>(i)];
            // It was timed with this math, and is to run with it.
            if (one.status != 0 || (!is_half && one.math != with_floats_as_such)) continue;
            if (set_math_(convolution_, one.math) != 0) continue;
            algorithm_ = one.algorithm;
            work_ = std::make_unique<attune::device_array<std::byte>>(one.bytes + 1);
            bytes_ = one.bytes;
        }
    }
    cudnn_convolution(cudnn_convolution const&) = delete;
    cudnn_convolution& operator=(cudnn_convolution const&) = delete;

    [[nodiscard]] bool is_there() const noexcept { return algorithm_ >= 0; }
    [[nodiscard]] int algorithm() const noexcept { return algorithm_; }

    bool operator()(void const* x, void const* w, void* y) const
    {
        float const one = 1;
        float const zero = 0;
        return forward_(handle_, &one, x_, x, w_, w, convolution_, algorithm_, work_->span().data(),
                        bytes_, &zero, y_, y) == 0;
    }

private:
    /// cudnnConvolutionFwdAlgoPerf_t
    struct performance {
        int algorithm, status;
        float milliseconds;
        std::size_t bytes;
        int is_deterministic, math, reserved[3];
    };
    static constexpr int cross_correlation = 1;
    static constexpr int with_tensor_cores = 1;
    static constexpr int with_floats_as_such = 3;

    template <class F>
    void find(F& out, char const* name)
    {
        out = reinterpret_cast<F>(::dlsym(library_, name));
        is_whole_ = is_whole_ && out != nullptr;
    }

    void* library_ = nullptr;
    void* handle_ = nullptr;
    void* x_ = nullptr;
    void* y_ = nullptr;
    void* w_ = nullptr;
    void* convolution_ = nullptr;
    int algorithm_ = -1;
    std::size_t bytes_ = 0;
    std::unique_ptr<attune::device_array<std::byte>> work_;
    bool is_whole_ = true;
    int (*create_)(void**) = nullptr;
    int (*create_tensor_)(void**) = nullptr;
    int (*create_filter_)(void**) = nullptr;
    int (*create_convolution_)(void**) = nullptr;
    int (*set_tensor_)(void*, int format, int type, int n, int c, int h, int w) = nullptr;
    int (*set_filter_)(void*, int type, int format, int k, int c, int h, int w) = nullptr;
    int (*set_convolution_)(void*, int, int, int, int, int, int, int mode, int type) = nullptr;
    int (*set_math_)(void*, int) = nullptr;
    int (*find_algorithm_)(void*, void*, void*, void*, void*, int, int*, performance*) = nullptr;
    int (*forward_)(void*, void const*, void*, void const*, void*, void const*, void*, int, void*,
                    std::size_t, void const*, void*, void*) = nullptr;
};

} // namespace bench
