"""From trained weights to what llama.cpp serves: an adapter beside its base, in its base, or a
whole model.

    python -m lpm_kernel.L2.recipes.export adapter ADAPTER_DIR OUT.gguf --base BASE [--name NAME]
    python -m lpm_kernel.L2.recipes.export merge ADAPTER_DIR BASE.gguf OUT.gguf --type q8_0
        [--scale 1.0] [--name NAME]
    python -m lpm_kernel.L2.recipes.export model HF_DIR OUT.gguf --type f16 [--name NAME]

`adapter` writes peft's LoRA adapter as a small file that the model host loads beside its base; BASE
is the base's Hugging Face folder (its `config.json` suffices) or its GGUF file. `merge` adds the
adapter to the weights of a base GGUF file and keeps everything else of that file, tokenizer
included. `model` writes a whole Hugging Face folder as GGUF.

The Llama and the Qwen2 family are known. What cannot be written truthfully is refused, with what to
do instead. The output is whole or not there at all; tensors are made and written one after the
other, so memory holds one at a time. No torch.

Rooms: `base` (what a model measures), `adapter`, `merge`, `model` (one for each command), `tokens`,
and below them `reading` and `writing`.
"""
