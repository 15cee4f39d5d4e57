/// Every operation there is, one line each.
public enum AdministrationOperations {
    public static let all: [any AdministrationOperation.Type] = [
        AddUser.self,
        ListUsers.self,
        ShowUser.self,
        DisableUser.self,
        EnableUser.self,
        DeleteUser.self,
        ResetPassword.self,
        ResetSecondFactors.self,
        ImportUsers.self,
        ExportUsers.self,
        ShowUserData.self,
        ListSessions.self,
        EndSession.self,
        AddApplication.self,
        ChangeApplication.self,
        ListApplications.self,
        ShowApplication.self,
        RemoveApplication.self,
        PutResource.self,
        ListResources.self,
        RemoveResource.self,
        ListClients.self,
        ShowClient.self,
        SetClientStatus.self,
        RemoveClient.self,
        AddExtension.self,
        ListExtensions.self,
        ShowExtension.self,
        RemoveExtension.self,
        CheckExtension.self,
        RotateKeys.self,
        ListKeys.self,
        ListAuditEvents.self,
        ShowSettings.self,
        ChangeSetting.self,
    ]

    static func named(_ name: String) -> (any AdministrationOperation.Type)? {
        all.first { $0.name == name }
    }
}
