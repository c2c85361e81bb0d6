// Generated from openapi/ by `npm run generate`. Do not edit.

import type { WebhookEventMap } from './events.ts';

/** The example of every event in the contract. */
export const fixtures: WebhookEventMap = {
  "vault.created": {
    "id": "evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc",
    "type": "vault.created",
    "timestamp": "2026-03-02T09:17:30.512Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "name": "Taxes",
        "description": null,
        "category": "personal",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "isActive": true,
        "documentCount": 0,
        "totalSize": 0,
        "createdAt": "2026-03-02T09:17:30.512Z",
        "updatedAt": "2026-03-02T09:17:30.512Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_11993c0d74f19bf15acac07994a2e87d",
      "ipAddress": "203.0.113.24"
    }
  },
  "vault.updated": {
    "id": "evt_92db8dbee3342c26c74bba21fdfa01e8",
    "type": "vault.updated",
    "timestamp": "2026-03-04T18:41:07.266Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "name": "Taxes",
        "description": "Returns, assessments and receipts",
        "category": "personal",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "isActive": true,
        "documentCount": 1,
        "totalSize": 482133,
        "createdAt": "2026-03-02T09:17:30.512Z",
        "updatedAt": "2026-03-04T18:41:07.266Z"
      },
      "previous": {
        "description": null
      },
      "changes": [
        "description"
      ]
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_45675a7ee484fe0bf4e405130e2fc7ec",
      "ipAddress": "203.0.113.24"
    }
  },
  "vault.deleted": {
    "id": "evt_09ffa313136df8382572faa8da69e237",
    "type": "vault.deleted",
    "timestamp": "2026-09-03T07:55:20.019Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "documentCount": 17
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_01620f795dd6071537911daf83b52345",
      "ipAddress": "203.0.113.24"
    }
  },
  "vault.quota.warning": {
    "id": "evt_8a74dfe0a01755058e5deeaf9fb39757",
    "type": "vault.quota.warning",
    "timestamp": "2026-07-12T11:08:33.871Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "name": "Taxes",
        "description": "Returns, assessments and receipts",
        "category": "personal",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "isActive": true,
        "documentCount": 14,
        "totalSize": 84213760,
        "createdAt": "2026-03-02T09:17:30.512Z",
        "updatedAt": "2026-03-04T18:41:07.266Z",
        "usage": {
          "usedBytes": 84213760,
          "quotaBytes": 104857600,
          "percentage": 80.31
        }
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_466d0cb89597e29333ea8a30d49ce6f1",
      "ipAddress": "203.0.113.24"
    }
  },
  "vault.quota.exceeded": {
    "id": "evt_1ce7bc18a31ab07f097fda0eddcacb3d",
    "type": "vault.quota.exceeded",
    "timestamp": "2026-08-20T19:26:54.302Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "name": "Taxes",
        "description": "Returns, assessments and receipts",
        "category": "personal",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "isActive": true,
        "documentCount": 18,
        "totalSize": 104120320,
        "createdAt": "2026-03-02T09:17:30.512Z",
        "updatedAt": "2026-03-04T18:41:07.266Z",
        "usage": {
          "usedBytes": 104120320,
          "quotaBytes": 104857600,
          "percentage": 99.29
        }
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_02699f3b25702131476f282d81214b70",
      "ipAddress": "203.0.113.24"
    }
  },
  "document.uploaded": {
    "id": "evt_3172cd0627a3e985c45f59bd11936125",
    "type": "document.uploaded",
    "timestamp": "2026-03-02T09:20:11.048Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
        "vaultId": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "fileName": "tax-return.pdf",
        "sizeBytes": 482133,
        "mimeType": "application/pdf",
        "encryptionMetadata": {
          "algorithm": "AES256_GCM_HKDF_1MB",
          "keyDerivation": "PBKDF2"
        },
        "uploadedAt": "2026-03-02T09:20:11.048Z",
        "updatedAt": "2026-03-02T09:20:11.048Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_517bd6e212180adee86364d95f854f74",
      "ipAddress": "203.0.113.24"
    }
  },
  "document.updated": {
    "id": "evt_f6e3f34d5624d41769689ec0499774b7",
    "type": "document.updated",
    "timestamp": "2026-03-02T09:24:38.590Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
        "vaultId": "019cadd6-a210-7670-891a-985ccc8c71a2",
        "fileName": "tax-return-2025.pdf",
        "sizeBytes": 482133,
        "mimeType": "application/pdf",
        "encryptionMetadata": {
          "algorithm": "AES256_GCM_HKDF_1MB",
          "keyDerivation": "PBKDF2"
        },
        "uploadedAt": "2026-03-02T09:20:11.048Z",
        "updatedAt": "2026-03-02T09:24:38.590Z"
      },
      "previous": {
        "fileName": "tax-return.pdf"
      },
      "changes": [
        "fileName"
      ]
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_8cf1c2321f0ef30eb5058d7c210cf90d",
      "ipAddress": "203.0.113.24"
    }
  },
  "document.deleted": {
    "id": "evt_42bfa896517c3265507a708fff647c22",
    "type": "document.deleted",
    "timestamp": "2026-09-02T17:12:09.645Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
        "vaultId": "019cadd6-a210-7670-891a-985ccc8c71a2"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_70b035f82b815803ed63751cc887cd8e",
      "ipAddress": "203.0.113.24"
    }
  },
  "document.shared": {
    "id": "evt_8eb5612452bfc00e2e90e03c5ee7ef68",
    "type": "document.shared",
    "timestamp": "2026-03-02T09:30:45.730Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cade2-c462-73c1-a294-ac3cddc695e0",
        "documentId": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
        "permissions": [
          "read"
        ],
        "access": "anyone",
        "expiresAt": "2026-03-09T09:30:45.000Z",
        "maxAccessCount": 3,
        "accessCount": 0,
        "isActive": true,
        "createdAt": "2026-03-02T09:30:45.730Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_cc86664025d1da73f296b7701dd14519",
      "ipAddress": "203.0.113.24"
    }
  },
  "document.share.accessed": {
    "id": "evt_509975502661d22416f47e812cb1041c",
    "type": "document.share.accessed",
    "timestamp": "2026-03-03T14:05:52.381Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "shareId": "019cade2-c462-73c1-a294-ac3cddc695e0",
        "documentId": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
        "accessCount": 1,
        "accessedAt": "2026-03-03T14:05:52.381Z",
        "ipAddress": "198.51.100.7",
        "userAgent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
      }
    },
    "context": {
      "userId": null,
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_adf9ad6d8951e486b213ac4883375949",
      "ipAddress": "198.51.100.7"
    }
  },
  "document.share.expired": {
    "id": "evt_60f895a13e00233913c893c065bd5686",
    "type": "document.share.expired",
    "timestamp": "2026-03-09T09:31:00.007Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cade2-c462-73c1-a294-ac3cddc695e0",
        "documentId": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
        "expiresAt": "2026-03-09T09:30:45.000Z"
      }
    },
    "context": {
      "userId": null,
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": null
    }
  },
  "consent.granted": {
    "id": "evt_978b18df4f509523c6654f64fbfaca58",
    "type": "consent.granted",
    "timestamp": "2026-03-05T16:02:19.404Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "purpose": "Preparation of the tax return",
        "description": "Access to the documents of the vault Taxes",
        "grantedTo": "Linden Tax Advisers",
        "scopes": [
          "documents:read"
        ],
        "status": "granted",
        "grantedAt": "2026-03-05T16:02:19.404Z",
        "expiresAt": "2026-06-05T16:00:00.000Z",
        "revokedAt": null,
        "revocationReason": null,
        "metadata": null,
        "clientId": null,
        "createdAt": "2026-03-05T16:02:19.404Z",
        "updatedAt": "2026-03-05T16:02:19.404Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_6e404c9ece93b177c1c25a7d30645d23",
      "ipAddress": "203.0.113.24"
    }
  },
  "consent.revoked": {
    "id": "evt_f13efbdaf90ac3b942b0ab100448bd91",
    "type": "consent.revoked",
    "timestamp": "2026-09-01T08:30:15.528Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
        "reason": "The tax return for 2025 is finished"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_7ed2d668af30ad21c51c97ac6021d22a",
      "ipAddress": "203.0.113.24"
    }
  },
  "consent.expired": {
    "id": "evt_b4e295540ff1aef03b7d6585b28e8a0e",
    "type": "consent.expired",
    "timestamp": "2026-06-05T16:00:12.093Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "purpose": "Preparation of the tax return",
        "description": "Access to the documents of the vault Taxes",
        "grantedTo": "Linden Tax Advisers",
        "scopes": [
          "documents:read"
        ],
        "status": "expired",
        "grantedAt": "2026-03-05T16:02:19.404Z",
        "expiresAt": "2026-06-05T16:00:00.000Z",
        "revokedAt": null,
        "revocationReason": null,
        "metadata": null,
        "clientId": null,
        "createdAt": "2026-03-05T16:02:19.404Z",
        "updatedAt": "2026-06-05T16:00:12.093Z"
      }
    },
    "context": {
      "userId": null,
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": null
    }
  },
  "consent.renewed": {
    "id": "evt_b4bb93a11ee8766c9e25216b9b0b3bc9",
    "type": "consent.renewed",
    "timestamp": "2026-06-06T10:47:36.811Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "purpose": "Preparation of the tax return",
        "description": "Access to the documents of the vault Taxes",
        "grantedTo": "Linden Tax Advisers",
        "scopes": [
          "documents:read"
        ],
        "status": "granted",
        "grantedAt": "2026-06-06T10:47:36.811Z",
        "expiresAt": "2027-06-05T16:00:00.000Z",
        "revokedAt": null,
        "revocationReason": null,
        "metadata": null,
        "clientId": null,
        "createdAt": "2026-03-05T16:02:19.404Z",
        "updatedAt": "2026-06-06T10:47:36.811Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_c723ba7e0ab8c03284b0f3535848a66b",
      "ipAddress": "203.0.113.24"
    }
  },
  "user.created": {
    "id": "evt_eaf6d439bcbeb22ef0d2902fa7b4c794",
    "type": "user.created",
    "timestamp": "2026-03-02T09:15:00.120Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "email": "ada@example.com",
        "name": "Ada Berger",
        "role": "user",
        "tier": "free",
        "status": "active",
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "createdAt": "2026-03-02T09:15:00.120Z",
        "updatedAt": "2026-03-02T09:15:00.120Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_fcd25b5ddf1f8e4d6e18348b28e09691",
      "ipAddress": "203.0.113.24"
    }
  },
  "user.updated": {
    "id": "evt_89eeeabf9681397cbacdaddf8bc6ba89",
    "type": "user.updated",
    "timestamp": "2026-04-11T06:22:41.953Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "email": "ada.berger@example.com",
        "name": "Ada Berger",
        "role": "user",
        "tier": "free",
        "status": "active",
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "createdAt": "2026-03-02T09:15:00.120Z",
        "updatedAt": "2026-04-11T06:22:41.953Z"
      },
      "previous": {
        "email": "ada@example.com"
      },
      "changes": [
        "email",
        "password"
      ]
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_9897c75d8c47399f6122f3e5629d9f6d",
      "ipAddress": "203.0.113.24"
    }
  },
  "user.deleted": {
    "id": "evt_479cf41b68d06ba6abd093eaf000be61",
    "type": "user.deleted",
    "timestamp": "2026-09-04T09:00:03.470Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "id": "019cadd4-5698-781e-b05b-ef3e60cf1f3b"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_792a201f43c308821a7ef7dfca46781b",
      "ipAddress": "203.0.113.24"
    }
  },
  "user.login": {
    "id": "evt_8b4f8f7bf4865ab972897adeade14679",
    "type": "user.login",
    "timestamp": "2026-03-02T09:16:04.310Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
        "email": "ada@example.com",
        "method": "password",
        "ipAddress": "203.0.113.24",
        "userAgent": "document-vault-sdk/1.0.0",
        "loggedInAt": "2026-03-02T09:16:04.310Z"
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_ae5d9de3288b909582ae5bbf65f66556",
      "ipAddress": "203.0.113.24"
    }
  },
  "instance.health.degraded": {
    "id": "evt_00a1060242f7f4e60e201ea50a421397",
    "type": "instance.health.degraded",
    "timestamp": "2026-07-01T02:14:30.006Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "status": "degraded",
        "checks": [
          {
            "name": "store",
            "status": "healthy",
            "durationMs": 2
          },
          {
            "name": "disk",
            "status": "healthy",
            "durationMs": 1
          },
          {
            "name": "deliveries",
            "status": "degraded",
            "durationMs": 4,
            "message": "The oldest due delivery has waited for 312 s"
          }
        ],
        "checkedAt": "2026-07-01T02:14:30.002Z"
      }
    },
    "context": {
      "userId": null,
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": null
    }
  },
  "instance.health.recovered": {
    "id": "evt_81fb0eb6c547bf6f84bacb3feb37aa9f",
    "type": "instance.health.recovered",
    "timestamp": "2026-07-01T02:28:30.005Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "status": "healthy",
        "checks": [
          {
            "name": "store",
            "status": "healthy",
            "durationMs": 2
          },
          {
            "name": "disk",
            "status": "healthy",
            "durationMs": 1
          },
          {
            "name": "deliveries",
            "status": "healthy",
            "durationMs": 4
          }
        ],
        "checkedAt": "2026-07-01T02:28:30.001Z"
      }
    },
    "context": {
      "userId": null,
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": null
    }
  },
  "instance.quota.warning": {
    "id": "evt_f2add871dd2ee408fdee4ce013916993",
    "type": "instance.quota.warning",
    "timestamp": "2026-08-14T21:37:48.164Z",
    "apiVersion": "v1",
    "data": {
      "object": {
        "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
        "usedBytes": 859322736640,
        "quotaBytes": 1073741824000,
        "percentage": 80.03
      }
    },
    "context": {
      "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
      "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
      "requestId": "req_bbf39519f47c43871d441fe6d729b791",
      "ipAddress": "203.0.113.24"
    }
  }
};
