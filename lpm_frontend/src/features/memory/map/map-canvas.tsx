"use client";
import { Minus, Plus, Scan } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { Graph } from "@/lib/api/types";
import { usePlacesText } from "@/lib/i18n/places";
import { IconButton } from "@/ui/button";
import { Drawing } from "./drawing";
import type { Direction } from "./walk";

interface MapCanvasProps {
  graph: Graph;
  chosen: string;
  /** The years that are looked at, both among them. */
  from: number;
  to: number;
  /** Drawing all of it takes longer than a frame. */
  slow: boolean;
  box: RefObject<HTMLDivElement | null>;
  onChoose: (slug: string) => void;
  onCentre: (slug: string) => void;
}

const WAYS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
const ZOOMS: Readonly<Record<string, "in" | "out" | "all">> = { "+": "in", "-": "out", "0": "all" };

/** The light that the page is in. */
function useLight(): string {
  const [light, setLight] = useState(() => document.documentElement.dataset["theme"] ?? "");
  useEffect(() => {
    const watcher = new MutationObserver(() =>
      setLight(document.documentElement.dataset["theme"] ?? ""),
    );
    watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watcher.disconnect();
  }, []);
  return light;
}

/** The drawn map. Its keys walk along the edges; what they are at is said. */
export function MapCanvas({
  graph,
  chosen,
  from,
  to,
  slow,
  box,
  onChoose,
  onCentre,
}: MapCanvasProps) {
  const t = usePlacesText();
  const drawing = useRef<Drawing | null>(null);
  const told = useRef({ onChoose, onCentre });
  const light = useLight();
  const [at, setAt] = useState("");
  const look = useRef({ chosen, at, from, to });
  useEffect(() => {
    told.current = { onChoose, onCentre };
  });
  useEffect(() => {
    const inner = box.current;
    if (!inner) return undefined;
    const made = new Drawing(inner, graph, look.current, slow, {
      onChoose: (slug) => told.current.onChoose(slug),
      onCentre: (slug) => told.current.onCentre(slug),
    });
    drawing.current = made;
    return () => {
      drawing.current = null;
      made.kill();
    };
  }, [graph, light, slow, box]);
  useEffect(() => {
    look.current = { chosen, at, from, to };
    drawing.current?.show(look.current);
  }, [chosen, at, from, to, graph, light]);
  useEffect(() => {
    if (chosen !== "") drawing.current?.bring(chosen);
  }, [chosen, graph]);
  const here = graph.nodes.find((node) => node.id === at);
  const press = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const way = WAYS[event.key];
    const zoom = ZOOMS[event.key];
    if (way !== undefined) {
      const next = drawing.current?.step(at === "" ? chosen : at, way) ?? "";
      setAt(next);
      drawing.current?.bring(next);
    } else if (zoom !== undefined) drawing.current?.zoom(zoom);
    else if (event.key === "Enter" && at !== "") onChoose(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const beside = (slug: string): number =>
    graph.edges.filter(({ source, target }) => source === slug || target === slug).length;
  return (
    <div className="map-frame">
      {/* An application of its own keys; the table says the same. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        className="map-box"
        role="application"
        aria-label={t.map.label}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={press}
        onBlur={() => setAt("")}
      >
        <div className="map-stage" ref={box} />
      </div>
      <p className="sr" role="status">
        {here ? t.map.at(here.name, t.kinds.one[here.kind], beside(here.id)) : ""}
      </p>
      <div className="map-zoom">
        <IconButton icon={Plus} label={t.map.nearer} onClick={() => drawing.current?.zoom("in")} />
        <IconButton
          icon={Minus}
          label={t.map.farther}
          onClick={() => drawing.current?.zoom("out")}
        />
        <IconButton icon={Scan} label={t.map.whole} onClick={() => drawing.current?.zoom("all")} />
      </div>
    </div>
  );
}
