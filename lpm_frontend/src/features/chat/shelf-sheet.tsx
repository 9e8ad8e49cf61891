"use client";
import { useText } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";
import { Shelf } from "./shelf";
import { TitleTools } from "./title";

interface ShelfSheetProps {
  open: boolean;
  id: string;
  title: string;
  onClose: () => void;
  onRename: () => void;
  onTrouble: (error: unknown) => void;
}

/** All conversations, and what can be done with the open one, where the window is narrow. */
export function ShelfSheet({ open, id, title, onClose, onRename, onTrouble }: ShelfSheetProps) {
  const text = useText();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.places.chat}
      closeLabel={text.frame.close}
      shape="sheet"
    >
      {id === "" ? null : (
        <div className="sheet-tools">
          <TitleTools
            id={id}
            title={title}
            worded
            onRename={() => {
              onClose();
              onRename();
            }}
            onGone={onClose}
            onTrouble={onTrouble}
          />
        </div>
      )}
      <div>
        <Shelf current={id} onGo={onClose} />
      </div>
    </Dialog>
  );
}
