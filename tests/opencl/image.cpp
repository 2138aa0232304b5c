// tests/opencl/image.cpp - of opencl/library.hpp: images.
// SPDX-License-Identifier: MIT
#include <attune/opencl/library.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>

namespace cl = attune::detail::opencl;

namespace {

cl::code_image an_image()
{
    cl::code_image out;
    out.options = "-cl-std=CL1.2 -I a";
    out.arguments = {{cl::argument_kind::array, 0},
                     {cl::argument_kind::value, 8},
                     {cl::argument_kind::local, 0}};
    out.declared_size = {8, 4, 1};
    out.start_limit_ms = 1500;
    out.binary = std::string("bytes\0with zeros\0", 17);
    out.is_text = true;
    return out;
}

} // namespace

TEST_CASE("an image is read back from its address alone")
{
    for (cl::code_image const& image : {an_image(), cl::code_image{}}) {
        std::string const text = cl::text_of_image(image);
        auto const got = cl::image_at(text.c_str());
        REQUIRE(got);
        CHECK(*got == image);
    }
}

TEST_CASE("what is no image is refused, also with sizes that do not fit together")
{
    CHECK(!cl::image_at("a CUBIN, perhaps"));
    CHECK(!cl::image_at(""));
    std::string const text = cl::text_of_image(an_image());
    std::size_t const head = cl::image_mark.size();
    for (std::size_t at = head; at < head + 32; ++at) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(damaged[at] + 1);
        CAPTURE(at);
        CHECK(!cl::image_at(damaged.c_str()));
    }
    std::string unknown = text; // a kind of argument that does not exist
    unknown[head + 72 + 18 + 4] = 7;
    CHECK(!cl::image_at(unknown.c_str()));
}
