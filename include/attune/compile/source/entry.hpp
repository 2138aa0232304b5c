// attune/compile/source/entry.hpp - the texts that attune adds to a kernel file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// The symbol that a loader looks up: C linkage, with the kernel's signature. The entry calls the
/// kernel with a stack that begins at a multiple of 64 bytes. Arrays in the kernel's frame then
/// keep their place in cache lines. Otherwise the time depends on the frames above the call. One
/// binary of a convolution took 1.3 or 2.7 ms (clang++-19 -O3, AVX-512) on stacks that differed by
/// 16 bytes.
inline constexpr char const* entry_symbol = "attune_entry";

namespace detail {

/// The content of <attune/tunable.hpp> while attune compiles a kernel, with or without installed
/// headers of attune.
inline constexpr char const* tunable_overlay =
    "#pragma once\n#define ATTUNE_TUNABLE(name, ...) ATTUNE_VALUE_##name\n";

/// `text` as a C++ string literal, which is also the form of a name in a `#line` directive.
[[nodiscard]] inline std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += (c == '\n') ? ' ' : c;
    }
    return out + '"';
}

/// The text to append. For a kernel that is missing or has other types, the compiler reports one
/// sentence, at "attune entry of <path>".
///
/// To tell a missing function from one with other types, the text adds a function of that name in a
/// namespace with a using-directive. `::name` finds the added function only if the kernel file has
/// no such function. Only the text has the added function's parameter type.
[[nodiscard]] inline std::string entry_text(compile_request const& v, std::string_view path)
{
    std::string const signature = signature_text(v);
    std::string const name = "::" + v.function;
    bool const can_probe = is_identifier(v.function);
    auto const castable = [](std::string const& type) {
        return "sizeof(attune_entry_check::castable< " + type + " >(nullptr)) == 1";
    };

    std::string text = "\n#line 1 " + detail::quoted("attune entry of " + std::string(path)) + "\n";
    if (signature.find("std::span") != std::string::npos) text += "#include <span>\n";
    if (signature.find("std::byte") != std::string::npos) text += "#include <cstddef>\n";
    text += v.declarations;
    if (can_probe)
        text += "namespace attune_entry_probe { struct nobody; void " + v.function +
                "(nobody*); }\nusing namespace attune_entry_probe;\n";
    text += "namespace attune_entry_check {\n"
            "template <class F> char castable(decltype(static_cast<F*>(&" +
            name +
            "))*);\n"
            "template <class F> char (&castable(...))[2];\n"
            "}\n";
    if (can_probe)
        text += "static_assert(!(" + castable("void(attune_entry_probe::nobody*)") + "), " +
                detail::quoted("attune: kernel '" + v.function + "' is not defined in " +
                               std::string(path) + "; the program declares it as " + signature) +
                ");\n";
    std::string const matches = castable(signature);
    text +=
        "static_assert(" +
        (can_probe ? castable("void(attune_entry_probe::nobody*)") + " || " + matches : matches) +
        ", " +
        detail::quoted("attune: kernel '" + v.function + "' is declared in the program as " +
                       signature + ", but the kernel file defines it otherwise") +
        ");\n";

    std::string parameters;
    std::string arguments;
    for (std::size_t i = 0; i < v.arguments.size(); ++i) {
        std::string const argument = "attune_argument_" + std::to_string(i);
        parameters += (i == 0 ? "" : ", ") + v.arguments[i] + ' ' + argument;
        arguments += (i == 0 ? "" : ", ") + argument;
    }
    text += "extern \"C\" __attribute__((visibility(\"default\"))) " + v.result + ' ' +
            entry_symbol + '(' + parameters +
            ")\n{ alignas(64) char attune_frame; __asm__ volatile(\"\" : : \"r\"(&attune_frame) : "
            "\"memory\");\n  return static_cast<" +
            v.result + " (*)(";
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ")>(&" + name + ")(" + arguments + "); }\n";
}

} // namespace detail

/// The whole text for a compiler; the macros are flags (see macro_flags).
[[nodiscard]] inline std::string translation_unit(kernel_source const& kernel,
                                                  compile_request const& v)
{
    return kernel.text + detail::entry_text(v, kernel.path);
}

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// Replaces std::span in a generated kernel. Both types have a pointer and a number as members, and
/// are passed in the same registers. The header <span> of libstdc++ 12 takes clang++-19 110 ms,
/// twice as long as the rest of a program's variant at -O3.
inline constexpr char const* own_span_text =
    "template <class T>\n"
    "struct attune_span {\n"
    "    T* first;\n"
    "    decltype(sizeof(0)) count;\n"
    "    T* data() const { return first; }\n"
    "    decltype(sizeof(0)) size() const { return count; }\n"
    "};\n";

static_assert(sizeof(std::span<float const>) == sizeof(float const*) + sizeof(std::size_t) &&
                  std::is_trivially_copyable_v<std::span<float const>>,
              "attune: std::span is more than a pointer and a number here");

/// Replaces attune::constant_view: its members, and those of detail::constant_forms.
inline constexpr char const* own_constant_text =
    "struct attune_forms {\n"
    "    void const* (*find)(attune_forms*, char const*, long const*, long);\n"
    "    void* (*begin)(attune_forms*, char const*, long const*, long, unsigned long, void**);\n"
    "    void const* (*keep)(attune_forms*, void*);\n"
    "};\n"
    "template <class T>\n"
    "struct attune_constant {\n"
    "    T const* first;\n"
    "    decltype(sizeof(0)) count;\n"
    "    attune_forms* kept;\n"
    "    T const* data() const { return first; }\n"
    "    decltype(sizeof(0)) size() const { return count; }\n"
    "    attune_forms* forms() const { return kept; }\n"
    "};\n";
/// own_constant_text in a release, which has attune's header.
inline constexpr char const* installed_constant_text =
    "#include <attune/core/constant_array.hpp>\n"
    "using attune_forms = attune::detail::constant_forms;\n";

/// A form of a constant array while a function runs: the form that the array keeps, or a new form
/// that `fill` fills. If nothing keeps forms, or there is no memory to keep one, the function frees
/// the new form.
inline constexpr char const* kept_form_text =
    "namespace {\n"
    "template <class T>\n"
    "struct attune_kept {\n"
    "    template <class Fill>\n"
    "    attune_kept(attune_forms* in, char const* name, long const* numbers, long count,\n"
    "                long elements, Fill const& fill)\n"
    "    {\n"
    "        if (in != nullptr)\n"
    "            form = static_cast<T const*>(in->find(in, name, numbers, count));\n"
    "        if (form != nullptr) return;\n"
    "        unsigned long const bytes = static_cast<unsigned long>(elements) * sizeof(T);\n"
    "        void* begun = nullptr;\n"
    "        void* to = nullptr;\n"
    "        if (in != nullptr) to = in->begin(in, name, numbers, count, bytes, &begun);\n"
    "        if (to != nullptr) {\n"
    "            fill(static_cast<T*>(to));\n"
    "            form = static_cast<T const*>(in->keep(in, begun));\n"
    "            return;\n"
    "        }\n"
    "        own = __builtin_malloc(bytes + 64);\n"
    "        if (own == nullptr) __builtin_trap();\n"
    "        T* const line = reinterpret_cast<T*>(\n"
    "            (reinterpret_cast<unsigned long>(own) + 63) / 64 * 64);\n"
    "        fill(line);\n"
    "        form = line;\n"
    "    }\n"
    "    ~attune_kept() { __builtin_free(own); }\n"
    "    attune_kept(attune_kept const&) = delete;\n"
    "    attune_kept& operator=(attune_kept const&) = delete;\n"
    "    T const* data() const { return form; }\n"
    "    T const* form = nullptr;\n"
    "    void* own = nullptr;\n"
    "};\n"
    "} // namespace\n";

static_assert(sizeof(constant_view<float>) == 2 * sizeof(void*) + sizeof(std::size_t) &&
                  std::is_trivially_copyable_v<constant_view<float>>,
              "attune: attune_constant has other members than attune::constant_view");

/// "attune_span<float const>" for "std::span<float const>", "attune_constant<float>" for
/// "attune::constant_view<float>"; other types unchanged.
/// @pre  no span of a fixed extent
[[nodiscard]] inline std::string with_own_span(std::string const& type)
{
    constexpr std::string_view span = "std::span<";
    constexpr std::string_view constant = "attune::constant_view<";
    if (type.starts_with(span)) return "attune_span<" + type.substr(span.size());
    if (type.starts_with(constant)) return "attune_constant<" + type.substr(constant.size());
    return type;
}

/// The content of <attune/matrix_view.hpp> while attune compiles a kernel, with or without
/// installed headers of attune: core/matrix_view.hpp as C++11 and CUDA, without conversions.
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
