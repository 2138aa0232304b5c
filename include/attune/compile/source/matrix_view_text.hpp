// attune/compile/source/matrix_view_text.hpp - <attune/matrix_view.hpp> for kernel files.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// The content of <attune/matrix_view.hpp> while attune compiles a kernel, whether or not attune's
/// headers are installed: core/matrix_view.hpp as C++11 and CUDA, without conversions.
inline constexpr char const* matrix_view_overlay = R"text(#pragma once
#ifdef __CUDACC__
#define ATTUNE_HOST_DEVICE __host__ __device__
#else
#define ATTUNE_HOST_DEVICE
#endif
namespace attune {
template <class T>
class matrix_view {
public:
    typedef T element_type;
    typedef decltype(sizeof(0)) size_type;
    matrix_view() = default;
    ATTUNE_HOST_DEVICE matrix_view(T* data, size_type rows, size_type columns, size_type row_stride)
        : data_(data), rows_(rows), columns_(columns), row_stride_(row_stride) {}
    ATTUNE_HOST_DEVICE matrix_view(T* data, size_type rows, size_type columns)
        : data_(data), rows_(rows), columns_(columns), row_stride_(columns) {}
    template <class U>
    ATTUNE_HOST_DEVICE matrix_view(matrix_view<U> const& of)
        : data_(of.data()), rows_(of.rows()), columns_(of.columns()),
          row_stride_(of.row_stride()) {}
    ATTUNE_HOST_DEVICE T* data() const { return data_; }
    ATTUNE_HOST_DEVICE size_type rows() const { return rows_; }
    ATTUNE_HOST_DEVICE size_type columns() const { return columns_; }
    ATTUNE_HOST_DEVICE size_type row_stride() const { return row_stride_; }
    ATTUNE_HOST_DEVICE T* row(size_type i) const { return data_ + i * row_stride_; }
    ATTUNE_HOST_DEVICE T& operator()(size_type i, size_type j) const
    { return data_[i * row_stride_ + j]; }
private:
    T* data_ = nullptr;
    size_type rows_ = 0, columns_ = 0, row_stride_ = 0;
};
template <class T>
class volume_view {
public:
    typedef T element_type;
    typedef decltype(sizeof(0)) size_type;
    volume_view() = default;
    ATTUNE_HOST_DEVICE volume_view(T* data, size_type slices, size_type rows, size_type columns,
                                   size_type slice_stride, size_type row_stride)
        : data_(data), slices_(slices), rows_(rows), columns_(columns),
          slice_stride_(slice_stride), row_stride_(row_stride) {}
    ATTUNE_HOST_DEVICE volume_view(T* data, size_type slices, size_type rows, size_type columns)
        : data_(data), slices_(slices), rows_(rows), columns_(columns),
          slice_stride_(rows * columns), row_stride_(columns) {}
    template <class U>
    ATTUNE_HOST_DEVICE volume_view(volume_view<U> const& of)
        : data_(of.data()), slices_(of.slices()), rows_(of.rows()), columns_(of.columns()),
          slice_stride_(of.slice_stride()), row_stride_(of.row_stride()) {}
    ATTUNE_HOST_DEVICE T* data() const { return data_; }
    ATTUNE_HOST_DEVICE size_type slices() const { return slices_; }
    ATTUNE_HOST_DEVICE size_type rows() const { return rows_; }
    ATTUNE_HOST_DEVICE size_type columns() const { return columns_; }
    ATTUNE_HOST_DEVICE size_type slice_stride() const { return slice_stride_; }
    ATTUNE_HOST_DEVICE size_type row_stride() const { return row_stride_; }
    ATTUNE_HOST_DEVICE matrix_view<T> slice(size_type k) const
    { return matrix_view<T>(data_ + k * slice_stride_, rows_, columns_, row_stride_); }
    ATTUNE_HOST_DEVICE T& operator()(size_type k, size_type i, size_type j) const
    { return data_[k * slice_stride_ + i * row_stride_ + j]; }
private:
    T* data_ = nullptr;
    size_type slices_ = 0, rows_ = 0, columns_ = 0, slice_stride_ = 0, row_stride_ = 0;
};
}
#undef ATTUNE_HOST_DEVICE
)text";

} // namespace attune::inline ATTUNE_ABI::detail
