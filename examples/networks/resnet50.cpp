// resnet50 - ResNet-50 from its mathematics, all layers tuned on one budget, then run.
// Shows the time of a whole network. `resnet50 full [evaluations [seconds]]` takes the image of
// 224x224 pixels; without words a small one, in seconds.
#include "resnet50.hpp"
#include "run.hpp"

int main(int count, char** text)
{
    networks::words const given(count, text);
    if (given.is_full)
        return networks::show<networks::resnet50<224>>("resnet50 224x224x3",
                                                       {given.evaluations, given.seconds});
    return networks::show<networks::resnet50<32>>("resnet50 32x32x3", {56, 5});
}
// prints:
// resnet50 32x32x3: 57 calls of 28 layers, # G multiplications
// together: *
// latency # ms, median of 5 rounds of 2 runs: # GFLOP/s
// right: all results within # of the plain nests'
