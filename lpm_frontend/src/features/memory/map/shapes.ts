/**
 * Draws nodes by their kind: a disc, a ring, a square, a diamond; one program, each node a point
 * that the card fills.
 */
import { EdgeRectangleProgram, NodeProgram, type ProgramInfo } from "sigma/rendering";
import type { NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";
import type { EntityKind } from "@/lib/api/types";
import { inShares } from "./pigments";

export interface NodeLook {
  x: number;
  y: number;
  size: number;
  color: string;
  kind: EntityKind;
  type: "shape";
}
export interface EdgeLook {
  size: number;
  color: string;
}

const SHAPES: Readonly<Record<EntityKind, number>> = {
  person: 0,
  place: 1,
  thing: 2,
  idea: 3,
  unknown: 0,
};

const VERTEX = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_position;
attribute float a_size;
attribute float a_shape;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
uniform mat3 u_matrix;
varying vec4 v_color;
varying float v_shape;
varying float v_pixel;
varying float v_stroke;
const float bias = 255.0 / 254.0;
void main() {
  gl_Position = vec4((u_matrix * vec3(a_position, 1)).xy, 0, 1);
  gl_PointSize = a_size / u_sizeRatio * u_pixelRatio * 2.0 + 2.0;
  v_pixel = 2.0 / gl_PointSize;
  v_stroke = v_pixel * 1.8 * u_pixelRatio;
  v_shape = a_shape;
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= bias;
}`;

/** `reach` is how far a pixel lies from the middle, in the measure of its shape: 1 on the edge. */
const FRAGMENT = `
precision mediump float;
varying vec4 v_color;
varying float v_shape;
varying float v_pixel;
varying float v_stroke;
uniform vec3 u_paper;
const vec4 nothing = vec4(0.0, 0.0, 0.0, 0.0);
void main() {
  vec2 at = abs(gl_PointCoord * 2.0 - 1.0);
  float reach = length(at);
  if (v_shape > 2.5) reach = at.x + at.y;
  else if (v_shape > 1.5) reach = max(at.x, at.y) * 1.2;
  #ifdef PICKING_MODE
  gl_FragColor = reach > 1.0 ? nothing : v_color;
  #else
  float inside = 1.0 - smoothstep(1.0 - v_pixel * 1.4, 1.0, reach);
  bool hollow = (v_shape > 0.5 && v_shape < 1.5) || v_shape > 2.5;
  float filled = hollow ? smoothstep(1.0 - v_stroke - v_pixel * 1.4, 1.0 - v_stroke, reach) : 1.0;
  vec3 colour = mix(u_paper, v_color.rgb, filled);
  gl_FragColor = vec4(colour * inside, inside);
  #endif
}`;

const UNIFORMS = ["u_sizeRatio", "u_pixelRatio", "u_matrix", "u_paper"] as const;

/** The program for a ground of this colour; it rests while all is drawn otherwise. */
export function shapesOn(paper: string, resting: () => boolean) {
  const ground = inShares(paper);
  return class ShapeProgram extends NodeProgram<(typeof UNIFORMS)[number], NodeLook, EdgeLook> {
    getDefinition() {
      const { FLOAT, UNSIGNED_BYTE, POINTS } = WebGLRenderingContext;
      return {
        VERTICES: 1,
        VERTEX_SHADER_SOURCE: VERTEX,
        FRAGMENT_SHADER_SOURCE: FRAGMENT,
        METHOD: POINTS,
        UNIFORMS,
        ATTRIBUTES: [
          { name: "a_position", size: 2, type: FLOAT },
          { name: "a_size", size: 1, type: FLOAT },
          { name: "a_shape", size: 1, type: FLOAT },
          { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
          { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
        ],
      };
    }
    override render(params: RenderParams): void {
      if (!resting()) super.render(params);
    }
    processVisibleItem(
      node: number,
      start: number,
      data: NodeDisplayData & { readonly kind?: EntityKind },
    ): void {
      this.array.set(
        [data.x, data.y, data.size, SHAPES[data.kind ?? "unknown"], floatColor(data.color), node],
        start,
      );
    }
    setUniforms(
      { sizeRatio, pixelRatio, matrix }: RenderParams,
      { gl, uniformLocations }: ProgramInfo,
    ): void {
      gl.uniform1f(uniformLocations["u_sizeRatio"] ?? null, sizeRatio);
      gl.uniform1f(uniformLocations["u_pixelRatio"] ?? null, pixelRatio);
      gl.uniformMatrix3fv(uniformLocations["u_matrix"] ?? null, false, matrix);
      gl.uniform3f(uniformLocations["u_paper"] ?? null, ...ground);
    }
  };
}

/** Edges as sigma draws them, which rest likewise. */
export function linesUnless(resting: () => boolean) {
  return class LineProgram extends EdgeRectangleProgram<NodeLook, EdgeLook> {
    override render(params: RenderParams): void {
      if (!resting()) super.render(params);
    }
  };
}

export type Means = "card" | "software" | "none";
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** With what this browser would draw so. */
export function meansToDraw(): Means {
  try {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
    if (context === null) return "none";
    const { UNMASKED_RENDERER_WEBGL: name } = context.getExtension("WEBGL_debug_renderer_info") ?? {
      UNMASKED_RENDERER_WEBGL: context.RENDERER,
    };
    const means = SOFTWARE.test(String(context.getParameter(name))) ? "software" : "card";
    context.getExtension("WEBGL_lose_context")?.loseContext();
    return means;
  } catch {
    return "none";
  }
}
