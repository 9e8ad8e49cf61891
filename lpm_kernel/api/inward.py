"""What the other processes of this home ask of the node. A plain blueprint: no part of the
contract, and no program or page gets in (``gate``).
"""

from __future__ import annotations

from flask import Blueprint, Flask, Response, jsonify, request

from lpm_kernel.api.context import node
from lpm_kernel.api.problems import refuse
from lpm_kernel.api.refusals import NOT_AS_DESCRIBED


def register(app: Flask) -> None:
    """Answer below `/inward`."""
    inward = Blueprint("inward", __name__, url_prefix="/inward")

    @inward.post("/replies")
    def reply() -> Response:
        """Answer a message of another node that the process that listens wrote into the inbox,
        named by its issuer and id. Takes as long as the model does.
        """
        asked = request.get_json(silent=True)
        if (
            not isinstance(asked, dict)
            or asked.keys() != {"issuer", "message"}
            or not all(isinstance(each, str) for each in asked.values())
        ):
            return refuse(NOT_AS_DESCRIBED)
        made = node().replying.reply(asked["issuer"], asked["message"])
        return jsonify({"body": made.body, "documents": made.documents, "code": made.code})

    app.register_blueprint(inward)
