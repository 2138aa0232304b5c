// tests/support/opencl_picture.hpp - a 2-D image of a program, with floats.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

namespace attune_test {

/// `width` x `height` pixels of one float each: 0, 1, 2 ... by rows.
class opencl_picture {
public:
    opencl_picture(attune::detail::opencl::context in, std::size_t width, std::size_t height)
    {
        namespace cl = attune::detail::opencl;
        std::vector<float> values(width * height);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i);
        cl::picture_extents extents;
        extents.width = width;
        extents.height = height;
        cl::picture_format const one_float{0x10B0, 0x10DE}; // CL_R, CL_FLOAT
        constexpr cl::bits copy_host_memory = 32;
        cl::result said = 0;
        handle_ = cl::library_in_use()->create_picture(in, cl::flag::read_only | copy_host_memory,
                                                       &one_float, &extents, values.data(), &said);
        REQUIRE(said == cl::success);
    }
    ~opencl_picture() { attune::detail::opencl::library_in_use()->release_memory(handle_); }
    opencl_picture(opencl_picture const&) = delete;
    opencl_picture& operator=(opencl_picture const&) = delete;

    [[nodiscard]] void* handle() const noexcept { return handle_; }

private:
    attune::detail::opencl::memory handle_ = nullptr;
};

} // namespace attune_test
