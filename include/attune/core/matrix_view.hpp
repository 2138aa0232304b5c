// attune/core/matrix_view.hpp - views of matrices whose rows may have gaps between them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <type_traits>
#include <utility>

#ifdef __CUDACC__
#define ATTUNE_HOST_DEVICE __host__ __device__ constexpr
#else
#define ATTUNE_HOST_DEVICE constexpr
#endif

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Eigen's matrices, maps, blocks and Refs, recognised without Eigen's headers.
template <class M>
concept eigen_like = requires(M& m) {
    m.data();
    m.rows();
    m.cols();
    m.outerStride();
    m.innerStride();
    { std::remove_cvref_t<M>::IsRowMajor };
};

template <class M>
[[nodiscard]] consteval bool is_row_major()
{
    return static_cast<bool>(std::remove_cvref_t<M>::IsRowMajor);
}

/// Returns true if the elements of a row (of a column, if column-major) are contiguous.
template <class M>
[[nodiscard]] consteval bool is_dense()
{
    if constexpr (requires { std::remove_cvref_t<M>::InnerStrideAtCompileTime; })
        return static_cast<int>(std::remove_cvref_t<M>::InnerStrideAtCompileTime) == 1;
    else
        return true;
}

template <class M, class T>
inline constexpr bool is_viewed_as = std::is_convertible_v<decltype(std::declval<M&>().data()), T*>;

} // namespace detail

/// `rows` x `columns` elements in the host's memory, row-major. Consecutive rows begin `row_stride`
/// elements apart. Elements between rows do not belong to the matrix. attune does not copy or
/// restore them and refuses a variant that writes them. A matrix_view<T const> is read only. A
/// kernel file includes <attune/matrix_view.hpp>.
///
/// Row-major matrices, maps and Refs of Eigen convert to it. For column-major ones see
/// transposed_view().
///
/// Example   attune::kernel<void(attune::matrix_view<float const>, attune::matrix_view<float>)>
template <class T>
class matrix_view {
public:
    using element_type = T;
    using size_type = decltype(sizeof(0));

    constexpr matrix_view() = default;
    /// @param row_stride  in elements; at least `columns`
    ATTUNE_HOST_DEVICE matrix_view(T* data, size_type rows, size_type columns,
                                   size_type row_stride) noexcept
        : data_(data)
        , rows_(rows)
        , columns_(columns)
        , row_stride_(row_stride)
    {
    }
    /// A view without gaps between rows.
    ATTUNE_HOST_DEVICE matrix_view(T* data, size_type rows, size_type columns) noexcept
        : matrix_view(data, rows, columns, columns)
    {
    }
    template <class U>
        requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
    ATTUNE_HOST_DEVICE matrix_view(matrix_view<U> other) noexcept
        : matrix_view(other.data(), other.rows(), other.columns(), other.row_stride())
    {
    }
    /// Converts a row-major matrix of Eigen.
    template <class M>
        requires(detail::eigen_like<M> && detail::is_viewed_as<M, T>)
    matrix_view(M&& m)
        : matrix_view(m.data(), static_cast<size_type>(m.rows()), static_cast<size_type>(m.cols()),
                      static_cast<size_type>(m.outerStride()))
    {
        static_assert(detail::is_row_major<M>(),
                      "attune::matrix_view: the matrix is column-major; pass "
                      "attune::transposed_view(m), whose rows are its columns, or declare it with "
                      "Eigen::RowMajor");
        static_assert(detail::is_dense<M>(),
                      "attune::matrix_view: the matrix has gaps between the elements of a row; "
                      "copy it, or view it with an inner stride of 1");
    }

    [[nodiscard]] ATTUNE_HOST_DEVICE T* data() const noexcept { return data_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type rows() const noexcept { return rows_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type columns() const noexcept { return columns_; }
    /// Distance between the starts of consecutive rows, in elements.
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type row_stride() const noexcept { return row_stride_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE T* row(size_type i) const noexcept
    {
        return data_ + i * row_stride_;
    }
    [[nodiscard]] ATTUNE_HOST_DEVICE T& operator()(size_type i, size_type j) const noexcept
    {
        return data_[i * row_stride_ + j];
    }

private:
    T* data_ = nullptr;
    size_type rows_ = 0;
    size_type columns_ = 0;
    size_type row_stride_ = 0;
};

/// Several matrices: `slices` x `rows` x `columns` elements. Consecutive slices begin
/// `slice_stride` elements apart, consecutive rows `row_stride` elements.
template <class T>
class volume_view {
public:
    using element_type = T;
    using size_type = decltype(sizeof(0));

    constexpr volume_view() = default;
    /// @param row_stride    in elements; at least `columns`
    /// @param slice_stride  in elements; at least `rows * row_stride`, minus the last gap
    ATTUNE_HOST_DEVICE volume_view(T* data, size_type slices, size_type rows, size_type columns,
                                   size_type slice_stride, size_type row_stride) noexcept
        : data_(data)
        , slices_(slices)
        , rows_(rows)
        , columns_(columns)
        , slice_stride_(slice_stride)
        , row_stride_(row_stride)
    {
    }
    /// A view without gaps between rows and slices.
    ATTUNE_HOST_DEVICE volume_view(T* data, size_type slices, size_type rows,
                                   size_type columns) noexcept
        : volume_view(data, slices, rows, columns, rows * columns, columns)
    {
    }
    template <class U>
        requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
    ATTUNE_HOST_DEVICE volume_view(volume_view<U> other) noexcept
        : volume_view(other.data(), other.slices(), other.rows(), other.columns(),
                      other.slice_stride(), other.row_stride())
    {
    }

    [[nodiscard]] ATTUNE_HOST_DEVICE T* data() const noexcept { return data_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type slices() const noexcept { return slices_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type rows() const noexcept { return rows_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type columns() const noexcept { return columns_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type slice_stride() const noexcept
    {
        return slice_stride_;
    }
    [[nodiscard]] ATTUNE_HOST_DEVICE size_type row_stride() const noexcept { return row_stride_; }
    [[nodiscard]] ATTUNE_HOST_DEVICE matrix_view<T> slice(size_type k) const noexcept
    {
        return {data_ + k * slice_stride_, rows_, columns_, row_stride_};
    }
    [[nodiscard]] ATTUNE_HOST_DEVICE T& operator()(size_type k, size_type i,
                                                   size_type j) const noexcept
    {
        return data_[k * slice_stride_ + i * row_stride_ + j];
    }

private:
    T* data_ = nullptr;
    size_type slices_ = 0;
    size_type rows_ = 0;
    size_type columns_ = 0;
    size_type slice_stride_ = 0;
    size_type row_stride_ = 0;
};

/// The transpose of a column-major matrix of Eigen: its columns are the rows of the view.
template <class M>
    requires(detail::eigen_like<M>)
[[nodiscard]] auto transposed_view(M&& m)
{
    constexpr bool by_columns = !detail::is_row_major<M>() && detail::is_dense<M>();
    static_assert(by_columns,
                  "attune::transposed_view(m): m is not column-major, or has gaps between the "
                  "elements of a column; a row-major matrix converts to attune::matrix_view");
    using element = std::remove_pointer_t<decltype(m.data())>;
    using size = typename matrix_view<element>::size_type;
    return matrix_view<element>{m.data(), static_cast<size>(m.cols()), static_cast<size>(m.rows()),
                                static_cast<size>(m.outerStride())};
}

} // namespace attune::inline ATTUNE_ABI

#undef ATTUNE_HOST_DEVICE
