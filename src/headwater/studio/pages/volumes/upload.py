"""Files sent by a browser into a folder of a volume."""

from __future__ import annotations

from nicegui import ui
from nicegui.events import UploadEventArguments

from headwater.errors import HeadwaterError
from headwater.studio.desk import Desk
from headwater.studio.exchange import arrived, exchange_folder, put
from headwater.studio.facts import size_text
from headwater.studio.problem import show_problem


def upload_box(desk: Desk, volume: str, folder: str) -> None:
    """Where files are dropped; each is written to disk as it arrives, then put into the volume."""
    most = desk.service.limits.upload_bytes
    too_large = f"Not sent: larger than {size_text(most)}, or the connection was lost"
    with ui.expansion("Upload files", icon="upload").classes("w-full"):
        replace = ui.checkbox("Replace files of the same name")
        problems = ui.column().classes("w-full gap-2")

        async def sent(event: UploadEventArguments) -> None:
            try:
                with exchange_folder() as place:
                    await event.file.save(arrived(place))
                    name = folder + event.file.name
                    done = await put(desk, place, volume, name, overwrite=bool(replace.value))
            except HeadwaterError as error:
                with problems:
                    show_problem(error)
                return
            status = done.to_dicts()[0]["status"]
            with problems:
                if status == "SKIPPED":
                    ui.notify(f"{event.file.name} is there already and was kept", type="warning")
                else:
                    ui.notify(f"{event.file.name} was uploaded", type="positive")

        def refused() -> None:
            ui.notify(too_large, type="negative")

        box = ui.upload(
            label=f"Files of at most {size_text(most)}",
            multiple=True,
            auto_upload=True,
            max_file_size=most,
            on_begin_upload=problems.clear,
            on_upload=sent,
            on_rejected=refused,
        )
        box.on("failed", refused, args=[])
        box.classes("w-full").props("flat bordered")
