// A template whose argument is a parameter of the kernel's name alone.
#include <span>

template <int Width>
void widen(std::span<int> x)
{
    for (int& v : x)
        v *= Width;
}
