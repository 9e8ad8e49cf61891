"use client";
/** Opens the bridge when it is asked for; what stands behind it is fetched then. */
import { lazy, Suspense, useCallback, useState } from "react";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";
import { Loading } from "@/ui/faces";

const Bridge = lazy(() => import("./bridge"));

export function BridgeDoor() {
  const text = useText();
  const [request, setRequest] = useState<string | null>(null);
  useCommand(
    "bridge",
    useCallback((wanted: { request: string } | undefined) => setRequest(wanted?.request ?? ""), []),
  );
  return (
    <Dialog
      open={request !== null}
      onClose={() => setRequest(null)}
      title={text.bridge.open}
      closeLabel={text.frame.close}
      shape="wide"
    >
      <Suspense fallback={<Loading words={text.app.loading} lines={4} />}>
        <Bridge begin={request ?? ""} />
      </Suspense>
    </Dialog>
  );
}
