// tests/support/nest_runner.hpp - compiles written programs, many in one file, and compares results.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nest_interpreter.hpp"

namespace support {

/// Bytes of one array in its element type, with guards around it and between its rows; where an
/// address sanitizer watches, without those around it.
class nest_bytes {
public:
    /// @param columns  of each row; behind all but the last row there are `gap` elements
    nest_bytes(std::vector<nest_number> const& values, attune::element_type type,
               std::size_t columns, std::size_t gap)
        : type_(type)
        , bytes_(attune::detail::element_bytes(type))
        , columns_(columns)
        , gap_(gap)
        , count_(values.size())
    {
        std::size_t const rows = columns == 0 ? 0 : count_ / columns;
        std::size_t const elements = count_ + (rows > 0 ? (rows - 1) * gap : 0);
        size_ = elements * bytes_;
        data_ = std::make_unique<unsigned char[]>(size_ + 2 * guard);
        std::memset(data_.get(), 0x5a, size_ + 2 * guard);
        for (std::size_t i = 0; i < values.size(); ++i)
            put(i, values[i]);
    }
    void* data() { return data_.get() + guard; }
    nest_number get(std::size_t i) const
    {
        using enum attune::element_type;
        if (type_ == f32) return {0, static_cast<double>(as<float>(i))};
        if (type_ == f64) return {0, as<double>(i)};
        if (type_ == f16) return {0, static_cast<double>(as<attune::detail::half_bits>(i))};
        if (type_ == bf16) return {0, static_cast<double>(as<attune::detail::brain_bits>(i))};
        if (type_ == i8) return {as<std::int8_t>(i), 0};
        if (type_ == u8) return {as<std::uint8_t>(i), 0};
        if (type_ == i16) return {as<std::int16_t>(i), 0};
        if (type_ == u16) return {as<std::uint16_t>(i), 0};
        if (type_ == i32) return {as<std::int32_t>(i), 0};
        if (type_ == u32) return {as<std::uint32_t>(i), 0};
        return {as<std::int64_t>(i), 0};
    }
    bool guard_is_whole() const
    {
        std::vector<bool> is_element(size_ + 2 * guard, false);
        for (std::size_t i = 0; i < count_; ++i)
            for (std::size_t b = 0; b < bytes_; ++b)
                is_element[at(i) + b] = true;
        for (std::size_t b = 0; b < is_element.size(); ++b)
            if (!is_element[b] && data_[b] != 0x5a) return false;
        return true;
    }

private:
#if defined(__SANITIZE_ADDRESS__)
    static constexpr std::size_t guard = 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    static constexpr std::size_t guard = 0;
#else
    static constexpr std::size_t guard = 64;
#endif
#else
    static constexpr std::size_t guard = 64;
#endif

    std::size_t at(std::size_t i) const
    {
        std::size_t const row = columns_ == 0 ? 0 : i / columns_;
        return guard + (i + row * gap_) * bytes_;
    }
    template <class T>
    T as(std::size_t i) const
    {
        T out;
        std::memcpy(&out, data_.get() + at(i), sizeof out);
        return out;
    }
    template <class T>
    void set(std::size_t i, T v)
    {
        std::memcpy(data_.get() + at(i), &v, sizeof v);
    }
    void put(std::size_t i, nest_number v)
    {
        using enum attune::element_type;
        if (type_ == f32) return set(i, static_cast<float>(v.real));
        if (type_ == f64) return set(i, v.real);
        if (type_ == f16) return set(i, attune::detail::half_bits(v.real));
        if (type_ == bf16) return set(i, attune::detail::brain_bits(v.real));
        std::memcpy(data_.get() + at(i), &v.whole, bytes_);
    }
    attune::element_type type_;
    std::size_t bytes_;
    std::size_t columns_;
    std::size_t gap_;
    std::size_t count_;
    std::size_t size_ = 0;
    std::unique_ptr<unsigned char[]> data_;
};

/// Before the programs: calls a function of any arguments with numbers from an array.
inline constexpr char const* call_by_numbers = R"(
#include <type_traits>
#include <utility>
template <class T> T argument(long x)
{
    if constexpr (std::is_pointer_v<T>) return reinterpret_cast<T>(x);
    else return static_cast<T>(x);
}
template <class... A, std::size_t... I>
void call_with(void (*f)(A...), long const* x, std::index_sequence<I...>)
{
    f(argument<A>(x[I])...);
}
template <class T> struct guarded {
    explicit guarded(long n) : count(n), bytes(new unsigned char[size()])
    {
        for (long b = 0; b < size(); ++b) bytes[b] = 0x5a;
    }
    ~guarded() { delete[] bytes; }
    long size() const { return count * static_cast<long>(sizeof(T)) + 128; }
    T* data() { return reinterpret_cast<T*>(bytes + 64); }
    void check() const // a form has no other elements
    {
        for (long b = 0; b < 64; ++b)
            if (bytes[b] != 0x5a || bytes[size() - 64 + b] != 0x5a) __builtin_trap();
    }
    long count;
    unsigned char* bytes;
};
template <class... A>
void call_with(void (*f)(A...), long const* x)
{
    call_with(f, x, std::index_sequence_for<A...>{});
}
)";

/// Programs in one shared object.
class nest_batch {
public:
    /// @param inputs  values of the program's inputs
    /// @param label   said of a program that is wrong
    void add(attune::loop_program const& program, attune::nest_description const& plain,
             std::vector<std::int64_t> inputs = {}, std::string label = {})
    {
        std::string const number = std::to_string(items_.size());
        attune::program_text_options options;
        options.function = "variant_" + number;
        options.has_prelude = false;
        std::string code = attune::write_program(program, options) +
                           call_text(program, options.function, "call_" + number);
        items_.push_back({plain, std::move(inputs), std::move(label), std::move(code)});
    }
    static std::string compiler()
    {
        for (char const* const name : {"clang++-19", "clang++", "c++"})
            if (!attune::detail::find_program(name).empty()) return name;
        return {};
    }
    /// @return  what is wrong, empty if every result is that of the interpreter
    std::string run(std::vector<std::string> const& flags = {"-O1", "-march=native", "-w"},
                    std::string const& by = compiler()) const
    {
        attune::detail::temporary_folder const folder;
        std::string text = preamble();
        for (item const& one : items_)
            text += one.code;
        std::string const source = folder.write("programs.cpp", text);
        std::string const object = folder.path() + "/programs.so";
        std::vector<std::string> command{by, "-std=c++17", "-shared", "-fPIC"};
        command.insert(command.end(), flags.begin(), flags.end());
        command.insert(command.end(), {source, "-o", object});
        // GCC 12's library has no conversion to __bf16 for processors without one.
        auto const place =
            attune::detail::run_process({by, "-print-libgcc-file-name", "-rtlib=compiler-rt"}, 60);
        std::string const own_library = place.output.substr(0, place.output.find('\n'));
        if (by.starts_with("clang") && std::filesystem::exists(own_library))
            command.push_back(own_library);
        auto const done = attune::detail::run_process(command, 600);
        if (!done.succeeded()) return "does not compile: " + first_error(done.output);
        // The threads of OpenMP's library outlive the call: it stays.
        bool const has_threads = std::find(flags.begin(), flags.end(), "-fopenmp") != flags.end();
        int const mode = RTLD_NOW | RTLD_LOCAL | (has_threads ? RTLD_NODELETE : 0);
        void* const library = ::dlopen(object.c_str(), mode);
        if (library == nullptr) return ::dlerror();
        std::string wrong;
        for (std::size_t i = 0; i < items_.size(); ++i)
            wrong += compare(items_[i], ::dlsym(library, ("call_" + std::to_string(i)).c_str()));
        ::dlclose(library);
        return wrong;
    }
    std::size_t size() const { return items_.size(); }

private:
    /// The function that is called with arrays and inputs. It makes the forms of constant arrays in
    /// memory of their size, with guards around them.
    static std::string call_text(attune::loop_program const& program, std::string const& function,
                                 std::string const& name)
    {
        std::vector<attune::kept_form> const forms = attune::kept_forms(program, function);
        std::string const head = "extern \"C\" void " + name + "(long const* x)\n{\n";
        if (forms.empty()) return head + "    call_with(" + function + ", x);\n}\n";
        std::vector<std::size_t> place(program.nest.arrays.size());
        std::size_t count = 0;
        for (std::size_t a = 0; a < place.size(); ++a) {
            place[a] = count;
            if (program.nest.arrays[a].role != attune::nest_role::temporary)
                count += program.nest.arrays[a].has_row_stride ? 2U : 1U;
        }
        std::string inputs;
        for (attune::nest_input const& input : program.nest.inputs)
            inputs += "    [[maybe_unused]] auto const " + input.name + " = static_cast<" +
                      std::string(attune::detail::cpp_name(input.type)) + ">(x[" +
                      std::to_string(count++) + "]);\n";
        std::string text = head + inputs + "    long all[" + std::to_string(count + forms.size()) +
                           "];\n    for (int i = 0; i < " + std::to_string(count) +
                           "; ++i)\n        all[i] = x[i];\n";
        std::string checks;
        for (std::size_t f = 0; f < forms.size(); ++f) {
            attune::kept_form const& form = forms[f];
            std::string const memory = "memory_" + std::to_string(f);
            std::string passed = "reinterpret_cast<" + form.element + " const*>(x[" +
                                 std::to_string(place[form.array]) + "]), " + memory + ".data()";
            for (std::uint32_t const input : form.inputs)
                passed += ", " + program.nest.inputs[input].name;
            text += "    guarded<" + form.element + "> " + memory + '(' + form.elements +
                    ");\n    " + form.fill + '(' + passed + ");\n    all[" +
                    std::to_string(count + f) + "] = reinterpret_cast<long>(" + memory +
                    ".data());\n";
            checks += "    " + memory + ".check();\n";
        }
        return text + "    call_with(" + function + ", all);\n" + checks + "}\n";
    }

    struct item {
        attune::nest_description plain;
        std::vector<std::int64_t> inputs;
        std::string label;
        std::string code;
    };

    /// The compiler's first error and the program that it is in.
    std::string first_error(std::string const& output) const
    {
        std::string out = output.substr(0, 2000);
        std::size_t const at = output.find("programs.cpp:");
        if (at == std::string::npos) return out;
        std::string const before = preamble();
        auto const lines = [](std::string const& text) {
            return static_cast<long>(std::count(text.begin(), text.end(), '\n'));
        };
        long line = std::atol(output.c_str() + at + 13) - lines(before);
        for (item const& one : items_) {
            if (line <= lines(one.code)) return out + '\n' + one.label + '\n' + one.code;
            line -= lines(one.code);
        }
        return out;
    }
    static std::string preamble()
    {
        std::string text = call_by_numbers;
        text += attune::detail::nest_prelude;
        text += attune::detail::nest_prelude_math;
        text += attune::detail::nest_prelude_stream;
        text += attune::detail::nest_prelude_end;
        return text;
    }
    static bool is_same(nest_number got, nest_number want, bool real, double within)
    {
        if (!real) return got.whole == want.whole;
        if (std::isnan(want.real)) return std::isnan(got.real);
        return got.real == want.real || std::fabs(got.real - want.real) <= within;
    }
    static std::string compare(item const& of, void* function)
    {
        nest_interpreter wanted(of.plain, of.inputs);
        std::uint64_t state = 12345;
        // The place of a largest number says what was done with NaN; sums of NaN say nothing.
        bool const has_nan = std::all_of(
            of.plain.statements.begin(), of.plain.statements.end(),
            [](auto const& one) { return one.combine == attune::reduction::argument_of_maximum; });
        for (std::size_t a = 0; a < wanted.arrays.size(); ++a)
            for (nest_number& v : wanted.arrays[a]) {
                state = state * 6364136223846793005ULL + 1442695040888963407ULL;
                auto const draw = static_cast<std::int64_t>((state >> 40) % 17) - 8;
                bool const real = is_real(of.plain.arrays[a].element);
                double number = static_cast<double>(draw) / 8;
                if (draw == 0 && (state >> 32) % 2 == 0) number = -0.0;
                if (has_nan && draw < -4) number = std::numeric_limits<double>::quiet_NaN();
                v = nest_rounded({draw, number}, real, of.plain.arrays[a].element);
            }
        std::vector<nest_bytes> memory;
        std::vector<std::int64_t> arguments;
        std::vector<std::size_t> which;
        memory.reserve(wanted.arrays.size());
        for (std::size_t a = 0; a < wanted.arrays.size(); ++a) {
            attune::nest_array const& array = of.plain.arrays[a];
            if (array.role == attune::nest_role::temporary) continue;
            bool const strided = array.has_row_stride;
            std::int64_t const columns = strided ? wanted.extent(array.extents.back()) : 0;
            memory.emplace_back(wanted.arrays[a], array.element, static_cast<std::size_t>(columns),
                                strided ? 3U : 0U);
            arguments.push_back(reinterpret_cast<std::int64_t>(memory.back().data()));
            if (strided) arguments.push_back(columns + 3);
            which.push_back(a);
        }
        wanted.run();
        arguments.insert(arguments.end(), of.inputs.begin(), of.inputs.end());
        reinterpret_cast<void (*)(std::int64_t const*)>(function)(arguments.data());
        for (std::size_t m = 0; m < memory.size(); ++m) {
            std::size_t const a = which[m];
            attune::nest_array const& array = of.plain.arrays[a];
            bool const real = is_real(array.element);
            double scale = 1e-3;
            for (nest_number const& v : wanted.arrays[a])
                if (std::isfinite(v.real)) scale = std::fmax(scale, std::fabs(v.real));
            double const within = attune::detail::default_tolerance(array.element).relative * scale;
            auto const text = [real](nest_number v) {
                return real ? std::to_string(v.real) : std::to_string(v.whole);
            };
            for (std::size_t i = 0; i < wanted.arrays[a].size(); ++i) {
                nest_number const got = memory[m].get(i);
                nest_number const want = wanted.arrays[a][i];
                if (!is_same(got, want, real, within))
                    return array.name + '[' + std::to_string(i) + "] is " + text(got) + ", not " +
                           text(want) + '\n' + of.label + '\n' + of.code;
            }
            if (!memory[m].guard_is_whole())
                return "writes outside of " + array.name + '\n' + of.label + '\n' + of.code;
        }
        return {};
    }

    std::vector<item> items_;
};

/// Whether programs can be compiled; a test says why it does nothing.
inline bool has_compiler()
{
    bool const has = !nest_batch::compiler().empty();
    if (!has) MESSAGE("skipped: there is no C++ compiler");
    return has;
}

/// With AVX2, and two cores.
inline attune::processor_shape small_processor()
{
    attune::processor_shape shape;
    shape.vector_bytes = 32;
    shape.vector_registers = 16;
    shape.cores = 2;
    return shape;
}

} // namespace support
